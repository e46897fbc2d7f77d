#include "jit/loops/build/vectorize.hpp"

#include <algorithm>

#include "jit/loops/build/elements.hpp"
#include "jit/loops/build_code.hpp"
#include "jit/loops/fuse/fuse.hpp"
#include "jit/loops/operands.hpp"
#include "jit/loops/plan.hpp"
#include "stdlib/ops/elementwise/parts.hpp"
#include "stdlib/ops/index/index.hpp"

namespace covec::loops {

using ir::id_of;
using ir::is_symbol;
using ops::ScalarOp;
using ops::ScalarRef;

namespace {

constexpr size_t max_in_branches = 64;  // instructions of both sides: they are computed for all lanes
constexpr size_t min_masked = 16;       // of a side that is jumped over where no lane takes it, in a longer branch
// Of a loop; writes get what VectorLoop leaves of its arrays.
constexpr size_t max_operations = 128, max_reads = 12, max_writes = VectorLoop::max_arrays - max_reads,
                 max_instructions = 1000;

bool same(const Value& a, const Value& b) {
  if (is_symbol(a) || is_symbol(b)) return is_symbol(a) && is_symbol(b) && id_of(a) == id_of(b);
  if (a.is_scalar() && b.is_scalar()) return a.scalar_dtype() == b.scalar_dtype() && bits_of(a) == bits_of(b);
  return a.object() == b.object();
}

bool same_index(const ir::Operation& a, const ir::Operation& b, std::optional<uint32_t> but_for = {}) {
  for (uint32_t i = 0; i < a.rest.size(); ++i) {
    if (i != but_for && !same(a.rest[i], b.rest[i])) return false;
  }
  return true;
}

// Numbers lie in the low bytes of a stack's words. The kernel takes them out of whole words and puts whole words there,
// where it can.
Dtype dtype_of_word(Dtype dtype) {
  const bool can = dtype == Dtype::boolean || dtype == Dtype::f32 || dtype == Dtype::i32;
  return can ? Dtype::i64 : dtype;
}

ScalarRef number_in_word(KernelBuilder& code, ScalarRef word, Dtype dtype) {
  if (word.dtype == dtype) return word;
  if (dtype == Dtype::boolean) word = code.emit(ScalarOp::bit_and, Dtype::i64, word, code.constant(Dtype::i64, 1), {});
  if (dtype != Dtype::f32) return code.convert(word, dtype);
  return code.emit(ScalarOp::bitcast, dtype, code.convert(word, Dtype::i32), {}, {});
}

ScalarRef word_of_number(KernelBuilder& code, ScalarRef number) {
  const Dtype kept = dtype_of_word(number.dtype);
  if (number.dtype == Dtype::f32) number = code.emit(ScalarOp::bitcast, Dtype::i32, number, {}, {});
  return code.convert(number, kept);
}

}  // namespace

Vectorizer::Vectorizer(const ir::Graph& graph, const ir::Operation& loop)
    : graph_(graph), region_(loop.regions[0]), induction_(graph, loop), code_(kernel) {}

bool Vectorizer::find() {
  if (region_.operations.empty() || region_.operations.size() > max_operations) return false;
  for (const ir::Operation& operation : region_.operations) {
    if (!add(operation)) return false;
  }
  // Numbers that are taken off stacks lie in memory in the order of falling iterations.
  const auto is_popped = [](const Access& read) { return read.operation != nullptr && !read.names_element(); };
  if (direction_ == 0 && std::ranges::any_of(reads, is_popped)) direction_ = -1;
  backwards = direction_ < 0;
  for (const Setting& each : settings_) {
    writes.push_back(each.access);
    kernel.outputs.push_back({each.value.id, each.value.dtype});
  }
  for (const auto& [operation, value] : pushes_) {
    writes.push_back({operation, std::nullopt});
    kernel.outputs.push_back({value.id, value.dtype});
  }
  return (!writes.empty() || !reads.empty()) && kernel.fails == Kernel::never &&
         kernel.code.size() <= max_instructions && reads.size() <= max_reads && writes.size() <= max_writes &&
         numbers.size() <= VectorLoop::max_numbers && gives_what_it_sets() && are_independent();
}

// --- what an iteration computes ---

bool Vectorizer::add(const ir::Operation& operation) {
  induction_.add(operation);
  if (operation.kind == ir::Kind::if_) return branch(operation);
  if (operation.kind == ir::Kind::push || operation.kind == ir::Kind::pop) return stack(operation);
  if (operation.kind == ir::Kind::undefined && is_number(graph_, operation.results[0])) {
    const Dtype dtype = graph_.values[operation.results[0]].type.dtype;
    return values_.insert_or_assign(operation.results[0], code_.constant(dtype, 0)).second;
  }
  if (operation.kind != ir::Kind::apply || operation.results.size() != 1) return false;
  if (operation.entry == &ops::index_update_entry()) return write(operation, false);
  if (operation.entry == &ops::index_add_entry()) return write(operation, true);
  // Indices are computed where they are data, too.
  return induction_.moves(operation.results[0]) || data(graph_.symbol(operation.results[0])).has_value();
}

// Each iteration has a number on the stack, and one only.
bool Vectorizer::stack(const ir::Operation& operation) {
  const auto is_same = [&](const ir::Operation* other) {
    const bool stacks = other != nullptr && (other->kind == ir::Kind::push || other->kind == ir::Kind::pop);
    return stacks && other->number == operation.number;
  };
  const auto pushed = [](const auto& push) { return push.first; };
  if (branches_ > 0 || std::ranges::any_of(reads, is_same, &Access::operation) ||
      std::ranges::any_of(pushes_, is_same, pushed))
    return false;
  if (operation.kind == ir::Kind::push) {
    const Ref value = is_number(graph_, operation.args[0]) ? data(operation.args[0]) : std::nullopt;
    if (value) pushes_.emplace_back(&operation, word_of_number(code_, *value));
    return value.has_value();
  }
  const ir::Id id = operation.results[0];
  if (!is_number(graph_, id)) return false;
  const Dtype dtype = dtype_of(graph_, graph_.symbol(id)), kept = dtype_of_word(dtype);
  values_.emplace(id, number_in_word(code_, code_.load(kept, static_cast<uint32_t>(reads.size())), dtype));
  reads.push_back({&operation, std::nullopt});
  kernel.inputs.push_back({kept, false});
  return true;
}

Vectorizer::Ref Vectorizer::data(const Value& value) {
  if (!is_symbol(value)) {
    if (!value.is_scalar()) return std::nullopt;
    return code_.constant(value.scalar_dtype(), bits_of(value));
  }
  if (induction_.is_iteration(value)) return iteration_number();
  if (const auto known = values_.find(id_of(value)); known != values_.end()) return known->second;
  const ir::Operation* operation = induction_.made_by(value);
  if (operation == nullptr && !is_number(graph_, value)) return std::nullopt;
  const Ref made =
      operation == nullptr ? number({Number::Kind::value, value}, dtype_of(graph_, value)) : make(*operation);
  if (made) values_.emplace(id_of(value), *made);
  return made;
}

Vectorizer::Ref Vectorizer::make(const ir::Operation& operation) {
  if (operation.kind != ir::Kind::apply) return std::nullopt;
  if (operation.entry == &ops::index_read_entry()) return read(operation);
  return is_number_operation(graph_, operation) ? apply(operation) : std::nullopt;
}

Vectorizer::Ref Vectorizer::apply(const ir::Operation& operation) {
  std::vector<Value> args = operation.args;
  const ops::Call call{*operation.entry, args, {}, operation.literals};
  std::vector<ScalarRef> operands;
  for (unsigned i = 0; i < ops::pointwise_operands(call); ++i) {
    const Ref operand = data(operation.args[i]);
    if (!operand) return std::nullopt;
    operands.push_back(*operand);
  }
  if (const auto failing = ops::lower_pointwise_failure(code_, call, operands)) code_.fail_where(*failing);
  return code_.apply(call, operands);
}

std::optional<Vectorizer::Access> Vectorizer::locate(const ir::Operation& operation, size_t spec) {
  if (operation.args.size() != spec + 1 || !names_element(graph_, operation, spec)) return std::nullopt;
  Access access{&operation, std::nullopt};
  for (uint32_t axis = 0; axis < operation.rest.size(); ++axis) {
    const Value& index = operation.rest[axis];
    const std::optional<int> moves = induction_.motion(index);
    if (dtype_of(graph_, index) != Dtype::i64 || !moves) return std::nullopt;
    if (*moves == 0) continue;
    if (access.axis || !turn(*moves)) return std::nullopt;
    access.axis = axis;
  }
  return access;
}

// All that moves moves the same way.
bool Vectorizer::turn(int direction) {
  if (direction_ == 0) direction_ = direction;
  return direction_ == direction;
}

Vectorizer::Ref Vectorizer::read(const ir::Operation& operation) {
  const Value& tensor = operation.args[0];
  const std::optional<Access> access = locate(operation, 1);
  if (!access) return std::nullopt;
  if (induction_.made_by(tensor) != nullptr) {
    const Setting* earlier = setting(tensor);
    if (earlier == nullptr || !same_index(operation, *earlier->access.operation)) return std::nullopt;
    return earlier->value;
  }
  if (access->axis) return load(*access);
  return number({Number::Kind::element, {}, *access}, dtype_of(graph_, tensor));
}

ScalarRef Vectorizer::load(const Access& access) {
  const Dtype dtype = dtype_of(graph_, access.operation->args[0]);
  const auto same_place = [&](const Access& other) {
    return other.names_element() && same(other.operation->args[0], access.operation->args[0]) &&
           same_index(*other.operation, *access.operation);
  };
  const auto known = std::ranges::find_if(reads, same_place);
  const auto input = static_cast<uint32_t>(known - reads.begin());
  if (known == reads.end()) {
    reads.push_back(access);
    kernel.inputs.push_back({dtype, false});
  }
  return code_.load(dtype, input);
}

ScalarRef Vectorizer::number(Number number, Dtype dtype) {
  const auto same_number = [&](const Number& other) {
    if (other.kind != number.kind || number.kind == Number::Kind::iteration) return other.kind == number.kind;
    if (number.kind == Number::Kind::value) return same(other.value, number.value);
    const ir::Operation &a = *other.element.operation, &b = *number.element.operation;
    return same(a.args[0], b.args[0]) && same_index(a, b);
  };
  const auto known = std::ranges::find_if(numbers, same_number);
  const auto index = static_cast<uint32_t>(known - numbers.begin());
  if (known == numbers.end()) {
    numbers.push_back(std::move(number));
    kernel.numbers.push_back(dtype);
  }
  return code_.number(dtype, index);
}

ScalarRef Vectorizer::iteration_number() {
  const auto counts = [](const Access& read) { return read.operation == nullptr; };
  const auto known = std::ranges::find_if(reads, counts);
  const auto index = static_cast<uint32_t>(known - reads.begin());
  if (known == reads.end()) {
    reads.emplace_back();
    kernel.inputs.push_back({Dtype::i64, false});
  }
  const ScalarRef further = code_.load(Dtype::i64, index);
  return code_.emit(ScalarOp::add, Dtype::i64, number({Number::Kind::iteration}, Dtype::i64), further, {});
}

// What the iteration has set already of a tensor, in this form of it.
Vectorizer::Setting* Vectorizer::setting(const Value& tensor) {
  const auto found = std::ranges::find_if(settings_, [&](const Setting& each) { return same(each.tensor, tensor); });
  return found == settings_.end() ? nullptr : &*found;
}

// Once for each tensor.
bool Vectorizer::begin_setting(const ir::Operation& operation, const Access& access) {
  const Value& tensor = operation.args[0];
  const auto same_tensor = [&](const Setting& each) { return same(each.access.operation->args[0], tensor); };
  if (!access.axis || !is_carried(tensor) || std::ranges::any_of(settings_, same_tensor)) return false;
  settings_.push_back({access, tensor, {}});
  return true;
}

bool Vectorizer::write(const ir::Operation& operation, bool adds) {
  const std::optional<Access> access = locate(operation, 2);
  if (!access || !sets_element(graph_, operation, adds)) return false;
  const Ref value = data(operation.args[1]);
  if (!value) return false;
  const Dtype dtype = dtype_of(graph_, operation.args[0]);
  ScalarRef made = code_.convert(*value, dtype);
  const Setting* earlier = setting(operation.args[0]);
  if (earlier != nullptr && !same_index(operation, *earlier->access.operation)) return false;
  if (adds) made = code_.sum(earlier != nullptr ? earlier->value : load(*access), made);
  if (earlier == nullptr && !begin_setting(operation, *access)) return false;
  Setting& now = *setting(operation.args[0]);
  now.tensor = graph_.symbol(operation.results[0]);
  now.value = made;
  return true;
}

// --- branches: both ways are gone, and what comes out is chosen ---

bool Vectorizer::branch(const ir::Operation& operation) {
  const Ref condition = data(operation.args[0]);
  if (!condition) return false;
  const size_t lengths[] = {length_of(operation.regions[0]), length_of(operation.regions[1])};
  const bool is_long = lengths[0] + lengths[1] > max_in_branches;
  const std::vector<Setting> at_first = settings_;
  std::vector<Setting> then;
  for (size_t k = 0; k < 2; ++k) {
    then = std::move(settings_);
    settings_ = at_first;
    const ir::Region& region = operation.regions[k];
    if (is_long && lengths[k] >= min_masked) {
      const ScalarRef taken = k == 0 ? *condition : code_.emit(ScalarOp::bit_not, Dtype::boolean, *condition, {}, {});
      if (!masked_way(region, taken)) return false;
    } else if (!way(region)) {
      return false;
    }
  }
  // What a way has set and does not give on may still be an index out of range.
  const auto gives_on = [&](const std::vector<Setting>& settings, const ir::Region& region) {
    return std::ranges::all_of(settings, [&](const Setting& each) {
      const auto is_it = [&](const Value& tensor) { return same(tensor, each.tensor); };
      return std::ranges::any_of(region.results, is_it) || std::ranges::any_of(at_first, is_it, &Setting::tensor);
    });
  };
  return gives_on(then, operation.regions[0]) && gives_on(settings_, operation.regions[1]) &&
         merge(operation, *condition, then);
}

bool Vectorizer::way(const ir::Region& region) {
  ++branches_;
  const bool whole =
      std::ranges::all_of(region.operations, [&](const ir::Operation& operation) { return add(operation); });
  --branches_;
  return whole;
}

// A way that is computed only where a lane takes it. What it makes is known there alone, but for what it gives.
bool Vectorizer::masked_way(const ir::Region& region, ScalarRef taken) {
  std::unordered_map<Dtype, ScalarRef> zeros;
  for (const Value& result : region.results) {
    const Dtype dtype = dtype_of(graph_, result);
    zeros.try_emplace(dtype, code_.constant(dtype, 0));
  }
  const auto outside = values_;
  code_.begin_rare(taken);
  const auto first = static_cast<uint32_t>(kernel.code.size());
  if (!way(region)) return false;
  std::vector<ir::Id> numbers;
  std::vector<Setting*> set;
  std::vector<KernelBuilder::RareResult> inside;
  for (const ir::Operation& operation : region.operations) {
    for (const ir::Id id : operation.results) {
      const auto is_it = [&](const Value& result) { return is_symbol(result) && id_of(result) == id; };
      if (!is_number(graph_, id) || std::ranges::none_of(region.results, is_it)) continue;
      const Ref made = data(graph_.symbol(id));
      if (!made) return false;
      numbers.push_back(id);
      inside.push_back({*made, zeros.at(made->dtype)});
    }
  }
  for (Setting& each : settings_) {
    const auto zero = zeros.find(each.value.dtype);
    if (each.value.id < first) continue;
    if (zero == zeros.end()) return false;
    set.push_back(&each);
    inside.push_back({each.value, zero->second});
  }
  if (inside.empty()) inside.push_back({taken, taken});
  const std::vector<ScalarRef> given = code_.end_rare(taken, inside);
  values_ = outside;
  for (size_t k = 0; k < numbers.size(); ++k) values_.insert_or_assign(numbers[k], given[k]);
  for (size_t k = 0; k < set.size(); ++k) set[k]->value = given[numbers.size() + k];
  return true;
}

// Instructions.
size_t Vectorizer::length_of(const ir::Region& region) const {
  Kernel counted;
  KernelBuilder code(counted);
  size_t length = 0;
  uint32_t operand = 0;
  for (const ir::Operation& operation : region.operations) {
    for (const ir::Region& inner : operation.regions) length += length_of(inner);
    if (operation.kind != ir::Kind::apply || !is_number_operation(graph_, operation)) continue;
    std::vector<Value> args = operation.args;
    const ops::Call call{*operation.entry, args, {}, operation.literals};
    std::vector<ScalarRef> operands;
    for (unsigned i = 0; i < ops::pointwise_operands(call); ++i) {
      const Dtype dtype = dtype_of(graph_, args[i]);
      operands.push_back(is_symbol(args[i]) ? code.number(dtype, operand++) : code.constant(dtype, bits_of(args[i])));
    }
    const size_t before = counted.code.size();
    code.apply(call, operands);
    length += counted.code.size() - before;
  }
  return length;
}

// `then` is what the first way has set; settings_ is what the second has.
bool Vectorizer::merge(const ir::Operation& operation, ScalarRef condition, const std::vector<Setting>& then) {
  for (size_t k = 0; k < operation.results.size(); ++k) {
    if (!is_number(graph_, operation.results[k])) {
      if (!merge_tensor(operation, k, condition, then)) return false;
      continue;
    }
    const Ref a = data(operation.regions[0].results[k]), b = data(operation.regions[1].results[k]);
    if (!a || !b || a->dtype != b->dtype) return false;
    values_.insert_or_assign(operation.results[k], code_.emit(ScalarOp::select, a->dtype, condition, *a, *b));
  }
  return true;
}

// One element of a carried tensor, set on one way or on both; on the other way it is what it was.
bool Vectorizer::merge_tensor(const ir::Operation& operation, size_t k, ScalarRef condition,
                              const std::vector<Setting>& then) {
  const Value &a = operation.regions[0].results[k], &b = operation.regions[1].results[k];
  const auto find = [](const std::vector<Setting>& in, const Value& tensor) {
    const auto found = std::ranges::find_if(in, [&](const Setting& each) { return same(each.tensor, tensor); });
    return found == in.end() ? nullptr : &*found;
  };
  const Setting *set_a = find(then, a), *set_b = find(settings_, b);
  if (set_a == nullptr && set_b == nullptr) return false;
  const Access access = (set_a != nullptr ? set_a : set_b)->access;
  const Value& root = access.operation->args[0];
  const auto fits = [&](const Setting* set, const Value& tensor) {
    if (set == nullptr) return same(tensor, root);
    return same(set->access.operation->args[0], root) && same_index(*set->access.operation, *access.operation);
  };
  if (!fits(set_a, a) || !fits(set_b, b)) return false;
  const ScalarRef left = set_a != nullptr ? set_a->value : load(access);
  const ScalarRef right = set_b != nullptr ? set_b->value : load(access);
  Setting joined{access, graph_.symbol(operation.results[k]),
                 code_.emit(ScalarOp::select, left.dtype, condition, left, right)};
  std::erase_if(settings_, [&](const Setting& each) { return same(each.access.operation->args[0], root); });
  settings_.push_back(std::move(joined));
  return true;
}

// --- whether they depend on each other ---

bool Vectorizer::is_carried(const Value& tensor) const {
  if (!is_symbol(tensor)) return false;
  return std::find(region_.parameters.begin() + 1, region_.parameters.end(), id_of(tensor)) != region_.parameters.end();
}

// Each tensor as the iteration has got it, or with its element set.
bool Vectorizer::gives_what_it_sets() const {
  const auto set_in = [&](size_t k) {
    return
        [this, k](const Setting& each) { return id_of(each.access.operation->args[0]) == region_.parameters[k + 1]; };
  };
  for (size_t k = 0; k < region_.results.size(); ++k) {
    const auto found = std::ranges::find_if(settings_, set_in(k));
    const Value& tensor = region_.results[k];
    if (!is_symbol(tensor)) return false;
    if (id_of(tensor) != (found == settings_.end() ? region_.parameters[k + 1] : id_of(found->tensor))) return false;
  }
  return true;
}

// Whether an iteration may read what an earlier one has set, as far as is known: the runtime compares places, too.
bool Vectorizer::may_follow(const Access& read, const Access& write) const {
  if (!read.names_element() || !write.names_element() || read.axis != write.axis) return false;
  if (!same(read.operation->args[0], write.operation->args[0])) return false;
  if (!same_index(*read.operation, *write.operation, read.axis)) return false;
  const Induction::Sum from = induction_.sum(read.operation->rest[*read.axis]),
                       to = induction_.sum(write.operation->rest[*write.axis]);
  if (!same(from.value, to.value) || from.constant == to.constant) return false;
  return direction_ < 0 || from.constant < to.constant;
}

bool Vectorizer::are_independent() const {
  return std::ranges::none_of(writes, [&](const Access& write) {
    return std::ranges::any_of(reads, [&](const Access& read) { return may_follow(read, write); });
  });
}

}  // namespace covec::loops
