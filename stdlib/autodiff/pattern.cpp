// Applies operators to values with sets, and unites tensors of sets.
#include "stdlib/autodiff/pattern.hpp"

#include <algorithm>

#include "stdlib/autodiff/apply.hpp"
#include "stdlib/autodiff/chosen_extents.hpp"
#include "stdlib/autodiff/operands.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/tensor/views.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

using ops::Residuals;

namespace {

const int64_t* numbers_of(const Value& sets) { return static_cast<const int64_t*>(data_of(sets)); }

// Calls each(i, at…) for the elements of a shape in order: i counts them, at… are their places in the operands.
template <class Each>
void each_pair(const Shape& shape, const Value& a, const Value& b, Each each) {
  const unsigned rank = shape.rank();
  SmallVector<int64_t, 8> index(rank), step_a(rank), step_b(rank);
  int64_t size = 1;
  for (unsigned axis = 0; axis < rank; ++axis) size *= shape[axis].number();
  const auto steps = [&](const Value& x, SmallVector<int64_t, 8>& steps) {
    if (!x.is_tensor()) return;
    const Tensor& tensor = x.tensor();
    for (unsigned axis = 0, shift = rank - tensor.rank(); axis < tensor.rank(); ++axis)
      steps[axis + shift] = tensor.dim(axis) == 1 ? 0 : tensor.stride(axis);
  };
  steps(a, step_a);
  steps(b, step_b);
  if (size == 0) return;
  const int64_t inner = rank == 0 ? 1 : shape[rank - 1].number();
  const int64_t inner_a = rank == 0 ? 0 : step_a[rank - 1], inner_b = rank == 0 ? 0 : step_b[rank - 1];
  int64_t at_a = 0, at_b = 0;
  for (int64_t i = 0; i < size; i += inner) {
    for (int64_t k = 0; k < inner; ++k) each(i + k, at_a + k * inner_a, at_b + k * inner_b);
    for (unsigned axis = rank < 2 ? 0 : rank - 1; axis-- > 0;) {
      at_a += step_a[axis];
      at_b += step_b[axis];
      if (++index[axis] < shape[axis].number()) break;
      at_a -= index[axis] * step_a[axis];
      at_b -= index[axis] * step_b[axis];
      index[axis] = 0;
    }
  }
}

// A tensor's elements as lines: (outer, length, inner) around an axis.
struct Lines {
  int64_t outer = 1, length = 1, inner = 1;
  Lines(const Tensor& x, unsigned axis) : length(x.dim(axis)) {
    for (unsigned k = 0; k < x.rank(); ++k) (k < axis ? outer : inner) *= k == axis ? 1 : x.dim(k);
  }
};

}  // namespace

Value Pattern::tensor(const Shape& shape) const { return make_tensor(builder_.pool(), Dtype::i64, shape); }

Value Pattern::wrap(Value primal, Value sets, uint32_t sources) const {
  if (is_traced_at(primal, level_)) {
    sources |= primal.traced().node;
    primal = take_primal(std::move(primal));
  }
  if (sets.is_none() && sources == 0) return primal;
  Value wrapped = make_jvp(level_, std::move(primal), std::move(sets));
  wrapped.traced().node = sources;
  wrapped.traced().deciding = deciding_;
  return wrapped;
}

Value Pattern::drawn(Value value) {
  if (is_operand(value) && (!value.is_traced() || value.traced().level < level_))
    return wrap(std::move(value), Value(), source::draws);
  if (value.is_traced() && value.traced().trace == TraceKind::batch) {
    const Traced& batch = value.traced();
    return make_batch(batch.level, drawn(batch.primal));
  }
  decide(source::draws);
  return value;
}

void TryScope::count(int change) const {
  for (const OpenLevel* level = innermost_; level != nullptr; level = level->outer) {
    if (level->pattern != nullptr) level->pattern->count_try(change);
  }
}

Value tell_patterns(const ops::Context& context, Value drawn) {
  std::vector<Pattern*> patterns;
  for (const OpenLevel* level = context.innermost; level != nullptr; level = level->outer) {
    if (level->pattern != nullptr) patterns.push_back(level->pattern);
  }
  for (size_t i = patterns.size(); i-- > 0;) drawn = patterns[i]->drawn(std::move(drawn));
  return drawn;
}

Value Pattern::input(const Value& leaf, sparse::Set first) const {
  const Type type = logical_type(leaf);
  if (type.shape.rank() == 0) return wrap(leaf, Value(int64_t{first}), source::inputs);
  Value sets = tensor(type.shape);
  Tensor& numbers = sets.tensor();
  for (int64_t i = 0; i < numbers.size(); ++i) numbers.as<int64_t>()[i] = static_cast<int64_t>(first) + i;
  return wrap(leaf, std::move(sets), source::inputs);
}

bool Pattern::run_rule(const Value& function, FunctionRef<void()> rule) {
  constexpr size_t max_rules = 16;  // one inside the other, of functions that are made anew
  const Object* const object = function.is_object() ? function.object() : nullptr;
  if (in_rule_of_.size() >= max_rules || std::ranges::find(in_rule_of_, object) != in_rule_of_.end()) return false;
  in_rule_of_.push_back(object);
  struct Leave {
    std::vector<const Object*>& functions;
    ~Leave() { functions.pop_back(); }
  } leave{in_rule_of_};
  rule();
  return true;
}

Value Pattern::unite(const Value& a, const Value& b, const Shape& shape) {
  if (a.is_none() || b.is_none()) return a.is_none() ? b : a;
  const int64_t *const x = numbers_of(a), *const y = numbers_of(b);
  const auto united = [&](int64_t at_a, int64_t at_b) {
    return int64_t{dag_.unite(static_cast<sparse::Set>(x[at_a]), static_cast<sparse::Set>(y[at_b]))};
  };
  if (shape.rank() == 0) return Value(united(0, 0));
  Value result = tensor(shape);
  int64_t* const to = result.tensor().as<int64_t>();
  each_pair(shape, a, b, [&](int64_t i, int64_t at_a, int64_t at_b) { to[i] = united(at_a, at_b); });
  return result;
}

Value Pattern::along(const Value& sets, uint32_t axes) {
  if (sets.is_none() || !sets.is_tensor() || axes == 0) return sets;
  Shape shape = shape_of(sets);
  for (unsigned axis = 0; axis < shape.rank(); ++axis) {
    if ((axes >> axis & 1) != 0) shape[axis] = Dim(1);
  }
  Value result = tensor(shape);
  Tensor& to = result.tensor();
  std::fill_n(to.as<int64_t>(), to.size(), 0);
  // The result is walked with the operand: its united axes have the size 1, so the same element comes again.
  int64_t* const united = to.as<int64_t>();
  const int64_t* const from = numbers_of(sets);
  each_pair(shape_of(sets), sets, result, [&](int64_t, int64_t at, int64_t place) {
    united[place] = dag_.unite(static_cast<sparse::Set>(united[place]), static_cast<sparse::Set>(from[at]));
  });
  return result;
}

Value Pattern::running(const Value& sets, unsigned axis, bool backwards) {
  if (!sets.is_tensor()) return sets;
  Value result = contiguous(builder_.pool(), sets);
  Tensor& to = writable(result, builder_.pool());
  const Lines lines(to, axis);
  int64_t* const numbers = to.as<int64_t>();
  for (int64_t line = 0; line < lines.outer * lines.inner; ++line) {
    int64_t* const first = numbers + line / lines.inner * lines.length * lines.inner + line % lines.inner;
    sparse::Set all = 0;
    for (int64_t k = 0; k < lines.length; ++k) {
      int64_t& at = first[(backwards ? lines.length - 1 - k : k) * lines.inner];
      at = all = dag_.unite(all, static_cast<sparse::Set>(at));
    }
  }
  return result;
}

Value Pattern::unite_at(Value x, const Value& positions, const Value& updates) {
  if (updates.is_none()) return x;
  const Value places = contiguous(builder_.pool(), positions);
  const int64_t* const place = numbers_of(places);
  const int64_t* const from = numbers_of(updates);
  int64_t* const to = writable(x, builder_.pool()).as<int64_t>();
  each_pair(shape_of(positions), updates, Value(int64_t{0}), [&](int64_t i, int64_t at, int64_t) {
    to[place[i]] = dag_.unite(static_cast<sparse::Set>(to[place[i]]), static_cast<sparse::Set>(from[at]));
  });
  return x;
}

Value Pattern::link(const Value& sets, const Shape& shape, unsigned leading, FunctionRef<void(Link)> each) {
  if (sets.is_none()) return sets;
  const Value dense = contiguous(builder_.pool(), sets);
  Value result = tensor(shape);
  Tensor& to = result.tensor();
  std::fill_n(to.as<int64_t>(), to.size(), 0);
  int64_t blocks = 1;
  for (unsigned axis = 0; axis < leading; ++axis) blocks *= shape[axis].number();
  if (blocks == 0 || to.size() == 0) return result;
  const int64_t of_result = to.size() / blocks, of_sets = dense.tensor().size() / blocks;
  for (int64_t block = 0; block < blocks; ++block) {
    int64_t* const united = to.as<int64_t>() + block * of_result;
    const int64_t* const from = numbers_of(dense) + block * of_sets;
    each([&](int64_t a, int64_t b) {
      united[a] = dag_.unite(static_cast<sparse::Set>(united[a]), static_cast<sparse::Set>(from[b]));
    });
  }
  return result;
}

sparse::Set Pattern::all_of(const Value& sets) {
  if (sets.is_none()) return 0;
  const Value all = along(sets, ~uint32_t{0});
  if (!all.is_tensor()) return static_cast<sparse::Set>(all.i64());
  return all.tensor().size() == 0 ? 0 : static_cast<sparse::Set>(numbers_of(all)[0]);
}

Value Pattern::on_all(const std::vector<Value>& args, const Value& tree) {
  sparse::Set all = 0;
  uint32_t sources = 0;
  const auto look = [&](const Value& leaf) {
    for (const Value* at = &leaf; at->is_traced(); at = &at->traced().primal) {
      if (at->traced().level != level_) continue;
      sources |= at->traced().node;
      all = dag_.unite(all, all_of(at->traced().tangent));
    }
    return leaf;
  };
  for (const Value& arg : args) map_deep(arg, look);
  const auto dense = [&](const Value& leaf) {
    if (!is_operand(leaf)) {
      decide(sources);
      return leaf;
    }
    if (all == 0 || !is_differentiable(leaf)) return wrap(leaf, Value(), sources);
    Value sets = broadcast_value(builder_.pool(), Value(int64_t{all}), logical_type(leaf).shape);
    return wrap(leaf, std::move(sets), sources);
  };
  return is_tree(tree) ? map_leaves(tree, dense) : dense(tree);
}

namespace {

// One operator applied under a pattern's level.
class PatternStep {
 public:
  PatternStep(ops::Builder& b, Pattern& pattern, const OpenLevel& level, ops::Call& call)
      : b_(b), pattern_(pattern), call_(call), sets_(call.operands()), sources_(call.operands()) {
    for (unsigned i = 0; i < call.operands(); ++i) {
      Value& operand = call.operand(i);
      if (!is_traced_at(operand, level.level)) continue;
      Traced& traced = operand.traced();
      // Nobody else may hold the numbers of a value that is updated in place.
      sets_[i] = operand.unique() ? std::move(traced.tangent) : traced.tangent;
      sources_[i] = traced.node;
      all_sources_ |= traced.node;
      any_ |= !sets_[i].is_none();
      operand = take_primal(std::move(operand));
    }
  }

  Value result() {
    const OperandTypes types(call_);
    SmallVector<Value, 4> kept(call_.operands());
    if (any_) keep(types, span_of(kept));
    note_extents(types);
    if (call_.entry.effects.may_fail && pattern_.is_tried()) decide_failure(types);
    Value result;
    try {
      const bool constant = !any_ || call_.entry.derivative.none() != nullptr;
      result = any_ && constant ? apply_constant(b_, call_) : apply_below(b_, call_);
      if (constant || !is_operand(result) || !is_differentiable(result)) return without_sets(std::move(result));
    } catch (...) {
      restore_operands(call_, [&](unsigned i, Value primal) {
        return pattern_.wrap(std::move(primal), std::move(sets_[i]), sources_[i]);
      });
      throw;
    }
    const Type type = logical_type(result);
    const Residuals residuals{span_of(kept), types.span(), &result, &type, call_.args.size()};
    Value sets = sets_of_result(types, residuals);
    return pattern_.wrap(std::move(result), std::move(sets), all_sources_);
  }

 private:
  // The program catches errors: whether there is one decides. No error is due to floats that are moved, or combined
  // element by element.
  void decide_failure(const OperandTypes& types) {
    const bool any_float = call_.entry.pointwise == nullptr && !call_.entry.carries;
    for (unsigned i = 0; i < sources_.size(); ++i) {
      if (any_float || !types.numeric(i) || !is_float(types[i].dtype)) pattern_.decide(sources_[i]);
    }
  }

  // How many elements a mask has chosen, say.
  void note_extents(const OperandTypes& types) {
    if (call_.entry.pointwise != nullptr || call_.entry.reduce != nullptr || call_.entry.type == nullptr) return;
    uint32_t sources = 0;
    for (unsigned i = 0; i < sources_.size(); ++i) {
      const bool chooses = types.numeric(i) && !is_float(types[i].dtype) && types[i].shape.rank() > 0;
      if (chooses) sources |= sources_[i];
    }
    if (sources == 0) return;
    ChosenExtents extents(b_);
    try {
      call_.entry.type(extents, call_);
    } catch (const OpError&) {
      return;  // the operator says it
    }
    if (extents.any()) pattern_.decide(sources);
  }

  // What rules look at: all but floats, which are sets to them.
  void keep(const OperandTypes& types, std::span<Value> kept) const {
    for (unsigned i = 0; i < kept.size(); ++i) {
      if (!types.numeric(i) || !is_float(types[i].dtype)) kept[i] = call_.operand(i);
    }
  }

  Value without_sets(Value result) {
    if (is_operand(result)) return pattern_.wrap(std::move(result), Value(), all_sources_);
    if (!is_tree(result)) {
      pattern_.decide(all_sources_);
      return result;
    }
    return map_leaves(result, [&](const Value& leaf) {
      return is_operand(leaf) ? pattern_.wrap(leaf, Value(), all_sources_) : leaf;
    });
  }

  Value sets_of_result(const OperandTypes& types, const Residuals& residuals) {
    const ops::Entry& entry = call_.entry;
    const Shape& shape = residuals.result_type->shape;
    Value sets;
    if (entry.pointwise == nullptr) decide_places(types);
    if (entry.pattern != nullptr) {
      sets = entry.pattern(pattern_, entry, residuals, span_of(sets_));
    } else if (entry.pointwise != nullptr || entry.is_cast()) {
      sets = pattern_of_elements(pattern_, entry, residuals, span_of(sets_));
    } else if (&entry == &ops::handles().index_add) {
      return added(types, residuals);
    } else if (entry.carries) {
      return carried(types, residuals);
    } else {
      sparse::Set all = 0;
      for (const Value& operand : span_of(sets_)) all = pattern_.dag().unite(all, pattern_.all_of(operand));
      sets = Value(int64_t{all});
    }
    if (sets.is_none() || shape_of(sets) == shape) return sets;
    return broadcast_value(b_.pool(), sets, shape);
  }

  // Integers and masks say where sets go.
  void decide_places(const OperandTypes& types) {
    for (unsigned i = 0; i < sources_.size(); ++i) {
      if (types.numeric(i) && !is_float(types[i].dtype)) pattern_.decide(sources_[i]);
    }
  }

  // x[items] += value.
  Value added(const OperandTypes& types, const Residuals& residuals) {
    const Shape& shape = types[0].shape;
    const Value value = std::move(sets_[1]);
    Value x = sets_[0].is_none() ? ops::zeros(b_, {Dtype::i64, shape}) : std::move(sets_[0]);
    if (value.is_none()) return x;
    const Value& spec = residuals.operands[2];
    const std::span<const Value> items = residuals.operands.subspan(residuals.parameters);
    bool repeats = false;  // an array of indices may name a place more than once
    for (unsigned i = static_cast<unsigned>(residuals.parameters); i < types.size(); ++i)
      repeats |= types[i].shape.rank() > 0;
    if (repeats) {
      Value numbers = ops::call(b_, ops::handles().arange, {b_.extent(shape.elements()), Value(), Value(), Value()});
      const Value places = ops::index_read(b_, ops::reshape(b_, std::move(numbers), shape), spec, items);
      return pattern_.unite_at(std::move(x), places, value);
    }
    const Value before = ops::index_read(b_, x, spec, items);
    Value args[] = {std::move(x), pattern_.unite(before, value, shape_of(before)), spec};
    SmallVector<Value, 4> given(items.size());
    std::ranges::copy(items, given.data());
    return ops::call(b_, ops::handles().index_update, args, span_of(given));
  }

  // The operator applied to the numbers of the sets: they go where the elements go.
  Value carried(const OperandTypes& types, const Residuals& residuals) {
    SmallVector<Value, 4> operands(sets_.size());
    for (unsigned i = 0; i < operands.size(); ++i) {
      if (!types.numeric(i) || !is_float(types[i].dtype)) {
        operands[i] = residuals.operands[i];
      } else {
        const Type numbers{Dtype::i64, types[i].shape};
        operands[i] = sets_[i].is_none() ? ops::RuleContext(b_, false).zeros(numbers) : std::move(sets_[i]);
      }
    }
    const std::span<Value> all = span_of(operands);
    ops::Call call{call_.entry, all.first(residuals.parameters), all.subspan(residuals.parameters), 0};
    Value result = apply_below(b_, call);
    if (!has_type(result, {Dtype::i64, residuals.result_type->shape}))
      fail(message("internal"), {"the pattern of " + std::string(call_.entry.name)});
    return result;
  }

  ops::Builder& b_;
  Pattern& pattern_;
  ops::Call& call_;
  SmallVector<Value, 4> sets_;
  SmallVector<uint32_t, 4> sources_;
  uint32_t all_sources_ = 0;
  bool any_ = false;
};

}  // namespace

Value apply_pattern(ops::Builder& b, const OpenLevel& level, ops::Call& call) {
  return PatternStep(b, *level.pattern, level, call).result();
}

}  // namespace covec::autodiff
