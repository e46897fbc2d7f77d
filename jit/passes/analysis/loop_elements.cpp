#include "jit/passes/analysis/loop_elements.hpp"

#include <algorithm>
#include <optional>

#include "stdlib/ops/contract/handles.hpp"

namespace covec::passes {

using namespace ir;

namespace {

constexpr size_t max_operations = 64;  // of a loop

bool is_plain(Dtype dtype) {
  return dtype == Dtype::f64 || dtype == Dtype::f32 || dtype == Dtype::i64 || dtype == Dtype::i32;
}

}  // namespace

bool same_number(const Value& a, const Value& b) {
  if (is_symbol(a) || is_symbol(b)) return is_symbol(a) && is_symbol(b) && id_of(a) == id_of(b);
  return a.i64() == b.i64();
}

// Both are written numbers, counted from the same end.
bool differ_as_written(const Value& a, const Value& b) {
  return !is_symbol(a) && !is_symbol(b) && a.i64() != b.i64() && (a.i64() < 0) == (b.i64() < 0);
}

bool LoopElements::find() {
  for (const Id id : body_.parameters) makers_[id] = nullptr;
  if (!note_makers(body_)) return false;
  for (size_t k = 0; k < loop_.results.size(); ++k) {
    const size_t elements_before = elements.size(), moving_before = moving.size();
    if (look(k) && elements.size() <= max_elements_in_registers) continue;
    elements.resize(elements_before);
    moving.resize(moving_before);
    std::erase_if(states, [&](const auto& state) { return state.second == k; });
    std::erase_if(accesses, [&](const auto& access) { return access.second >= elements_before; });
  }
  if (elements.empty()) return false;
  find_steady(body_);
  return true;
}

bool LoopElements::note_makers(const Region& region) {
  for (const Operation& operation : region.operations) {
    if (++operations_ > max_operations) return false;
    for (const Id id : operation.results) makers_[id] = &operation;
    for (const Region& inner : operation.regions) {
      for (const Id id : inner.parameters) makers_[id] = nullptr;
      if (!note_makers(inner)) return false;
    }
  }
  return true;
}

// False: the tensor stays as it is.
bool LoopElements::look(size_t k) {
  const Id parameter = body_.parameters[k + 1];
  const ValueInfo& info = graph_.values[parameter];
  if (info.boxed || info.type.shape.empty() || !is_plain(info.type.dtype)) return false;
  if (!is_symbol(loop_.args[k + 1]) || !(type_in(graph_, loop_.args[k + 1]) == info.type)) return false;
  states[parameter] = k;
  if (!region(body_, k) || !is_state(body_.results[k], k)) return false;
  for (size_t j = 0; j < body_.results.size(); ++j) {
    if (j != k && mentions(body_.results[j], k)) return false;
  }
  return std::ranges::any_of(elements, [&](const Element& each) { return each.tensor == k && each.is_set; });
}

bool LoopElements::is_state(const Value& value, size_t k) const {
  if (!is_symbol(value)) return false;
  const auto found = states.find(id_of(value));
  return found != states.end() && found->second == k;
}
bool LoopElements::mentions(const Value& value, size_t k) const {
  bool found = false;
  each_symbol(value, [&](Id id) {
    const auto state = states.find(id);
    found |= state != states.end() && state->second == k;
  });
  return found;
}
bool LoopElements::mentions(const Operation& operation, size_t k) const {
  const auto does = [&](const Value& value) { return mentions(value, k); };
  if (std::ranges::any_of(operation.args, does) || std::ranges::any_of(operation.rest, does)) return true;
  return std::ranges::any_of(operation.regions, [&](const Region& inner) {
    return std::ranges::any_of(inner.results, does) ||
           std::ranges::any_of(inner.operations, [&](const Operation& each) { return mentions(each, k); });
  });
}

bool LoopElements::region(const Region& region, size_t k) {
  for (const Operation& operation : region.operations) {
    if (!mentions(operation, k) || operation.kind == Kind::dimension) continue;
    if (operation.kind == Kind::if_ ? !branch(operation, k) : !access(operation, k)) return false;
  }
  return true;
}

bool LoopElements::branch(const Operation& operation, size_t k) {
  for (const Region& inner : operation.regions) {
    if (!region(inner, k)) return false;
  }
  for (size_t j = 0; j < operation.results.size(); ++j) {
    const Value &a = operation.regions[0].results[j], &b = operation.regions[1].results[j];
    if (!mentions(a, k) && !mentions(b, k)) continue;
    if (!is_state(a, k) || !is_state(b, k) || !is_like_tensor(operation.results[j], k)) return false;
    states[operation.results[j]] = k;
  }
  return true;
}

bool LoopElements::is_like_tensor(Id id, size_t k) const {
  const ValueInfo& info = graph_.values[id];
  return !info.boxed && info.type == graph_.values[body_.parameters[k + 1]].type;
}

bool LoopElements::access(const Operation& operation, size_t k) {
  const ops::Handles& known = ops::handles();
  const bool sets = operation.entry == &known.index_update || operation.entry == &known.index_add;
  if (operation.kind != Kind::apply || (!sets && operation.entry != &known.index_read)) return false;
  if (!names_element(graph_, operation, sets ? 2 : 1) || !is_state(operation.args[0], k)) return false;
  if (operation.args.size() != (sets ? 3 : 2)) return false;
  if (sets) {
    const Dtype dtype = graph_.values[body_.parameters[k + 1]].type.dtype;
    if (!is_number_of(graph_, operation.args[1], dtype) || !is_like_tensor(operation.results[0], k)) return false;
    states[operation.results[0]] = k;
  }
  return place(operation, k, sets);
}

// Where the element is: at an index from outside, or at one that moves.
bool LoopElements::place(const Operation& operation, size_t k, bool sets) {
  std::optional<size_t> axis;
  for (size_t a = 0; a < operation.rest.size(); ++a) {
    if (is_outside(operation.rest[a])) continue;
    if (axis) return false;
    axis = a;
  }
  if (axis) return moves(operation, k, *axis);
  const auto same = [&](const Element& each) {
    return each.tensor == k && std::ranges::equal(each.index, operation.rest, same_number);
  };
  const auto known = std::ranges::find_if(elements, same);
  accesses[&operation] = static_cast<size_t>(known - elements.begin());
  if (known == elements.end())
    elements.push_back({k, operation.rest, sets});
  else
    known->is_set |= sets;
  return true;
}

bool LoopElements::moves(const Operation& operation, size_t k, size_t axis) {
  const Id counter = body_.parameters[0];
  std::optional<IndexSum> sum = index_sum(graph_, makers_, operation.rest[axis], [&](Id id) { return id == counter; });
  if (!sum) return false;
  const auto moves = sum->times.find(counter);
  if (moves == sum->times.end() || (moves->second != 1 && moves->second != ~uint64_t{0})) return false;
  const bool falls = moves->second != 1;
  sum->times.erase(moves);
  moving.push_back({k, operation.rest, axis, std::move(*sum), falls});
  return true;
}

// Reads that come to the same in all iterations, on ways that are not always gone as well: whoever makes them before
// the loop asks first whether they are in range.
void LoopElements::find_steady(const Region& region) {
  for (const Operation& operation : region.operations) {
    if (operation.kind == Kind::if_) {
      for (const Region& inner : operation.regions) find_steady(inner);
    }
    if (operation.kind != Kind::apply || operation.entry != &ops::handles().index_read) continue;
    if (!names_element(graph_, operation, 1) || !is_outside(operation.args[0])) continue;
    if (!std::ranges::all_of(operation.rest, [&](const Value& index) { return is_outside(index); })) continue;
    const auto same = [&](const Steady& each) {
      return id_of(each.tensor) == id_of(operation.args[0]) &&
             std::ranges::equal(each.index, operation.rest, same_number);
    };
    const auto known = std::ranges::find_if(steady, same);
    const auto number = static_cast<size_t>(known - steady.begin());
    if (number == max_steady_reads) continue;
    if (known == steady.end()) steady.push_back({operation.args[0], operation.rest});
    steady_reads[&operation] = number;
  }
}

}  // namespace covec::passes
