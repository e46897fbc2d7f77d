// Applies an operator to a batch: by its batch rule, or to each example by itself.
#include "stdlib/autodiff/batch.hpp"

#include <algorithm>

#include "stdlib/autodiff/apply.hpp"
#include "stdlib/autodiff/chosen_extents.hpp"
#include "stdlib/autodiff/operands.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

namespace {

using Flags = SmallVector<bool, 8>;

Value wrap_batch(uint64_t level, const Value& result) {
  if (is_operand(result)) return make_batch(level, result);
  if (!is_tree(result)) return result;
  return map_leaves(result, [level](const Value& leaf) { return is_operand(leaf) ? make_batch(level, leaf) : leaf; });
}

// The call for one example; its operands are used again by the next, so they are shared.
Value of_one(const ops::Call& call, const Flags& batched, FunctionRef<Value(const Value&)> part_of,
             FunctionRef<Value(ops::Call&)> use) {
  SmallVector<Value, 8> operands(call.operands());
  for (unsigned i = 0; i < call.operands(); ++i) operands[i] = batched[i] ? part_of(call.operand(i)) : call.operand(i);
  const std::span<Value> all = span_of(operands);
  ops::Call one{call.entry, all.first(call.args.size()), all.subspan(call.args.size()), call.literals};
  return use(one);
}

Value apply_example(ops::Builder& b, const ops::Call& call, const Flags& batched, int64_t example) {
  return of_one(
      call, batched, [&](const Value& operand) { return example_of(b, operand, Value(example)); },
      [&](ops::Call& one) { return apply_below(b, one); });
}

// Where there is no example: one of zeros.
Value of_zeros(ops::Builder& b, const ops::Call& call, const Flags& batched, FunctionRef<Value(ops::Call&)> use) {
  const auto zeros = [&](const Value& operand) {
    Type type = logical_type(operand);
    type.shape.erase(0);
    return ops::RuleContext(b, false).zeros(type);
  };
  return of_one(call, batched, zeros, use);
}

// With no examples to run, one of zeros says what there would be.
Value apply_to_none(ops::Builder& b, const ops::Call& call, const Flags& batched) {
  return of_zeros(b, call, batched, [&](ops::Call& one) {
    ChosenExtents example(b);
    Type type;
    if (call.entry.type != nullptr) type = call.entry.type(example, one);
    if (call.entry.type == nullptr || example.any())
      return type_of_none(b, call.entry.name, [&] { return apply_below(b, one); });
    type.shape.insert(0, Dim(0));
    return ops::RuleContext(b, false).zeros(type);
  });
}

bool same_shapes(const Value& a, const Value& b) {
  if (is_operand(a) && is_operand(b)) return logical_type(a).shape == logical_type(b).shape;
  if (!is_tree(a) || !is_tree(b)) return true;
  const std::vector<Value>&x = *children(a), &y = *children(b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), same_shapes);
}

// Where the examples' results differ in shape (x[x > 0]), what comes after runs example by example too.
Value each_example(ops::Builder& b, const OpenLevel& level, const ops::Call& call, const Flags& batched) {
  if (!b.is_eager()) fail_not_staged("the result of " + std::string(call.entry.name) + " for each example");
  if (level.size == Dim(0)) return apply_to_none(b, call, batched);
  std::vector<Value> results;
  results.reserve(size_for<Value>(level.size.number()));
  for (int64_t example = 0; example < level.size.number(); ++example) {
    kernels::poll_interrupt(b.context());
    results.push_back(apply_example(b, call, batched, example));
    if (!same_shapes(results[0], results.back())) throw BatchedControl{level.level};
  }
  return stack_trees(b, std::move(results), call.entry.name);
}

// What the operands of one example are like, to say an error in the terms of an example.
class ExampleTypes {
 public:
  ExampleTypes(const ops::Call& call, uint64_t level)
      : entry_(call.entry),
        types_(call),
        attributes_(call.operands()),
        parameters_(call.args.size()),
        literals_(call.literals) {
    for (unsigned i = 0; i < call.operands(); ++i) {
      if (types_.numeric(i) && !call.operand(i).is_scalar()) continue;  // a number is the same for all examples
      if (is_traced_at(call.operand(i), level))
        hides_ = true;
      else
        attributes_[i] = call.operand(i);
    }
  }
  // Throws the type rule's error for one example. Where the rule cannot see all attributes, only one of the same kind
  // as the error that there was.
  void recheck(ops::Builder& b, const OpError& error) {
    if (entry_.type == nullptr) return;
    ops::RuleContext rules(b, false);
    for (size_t i = 0; i < types_.size(); ++i) {
      if (types_.numeric(i) && attributes_[i].is_none()) attributes_[i] = rules.zeros(types_[i]);
    }
    const std::span<Value> all = span_of(attributes_);
    const ops::Call one{entry_, all.first(parameters_), all.subspan(parameters_), literals_};
    ChosenExtents chosen(b);
    ops::ShapeBuilder& extents = b.is_eager() ? static_cast<ops::ShapeBuilder&>(chosen) : b;
    try {
      entry_.type(extents, one);
    } catch (const OpError& of_one) {
      const bool certain = !hides_ && !chosen.any() && of_one.kind == ErrorKind::ordinary;
      if (certain || of_one.code == error.code) throw;
    }
  }

 private:
  const ops::Entry& entry_;
  const OperandTypes types_;
  SmallVector<Value, 8> attributes_;
  const size_t parameters_;
  const uint32_t literals_;
  bool hides_ = false;  // an attribute differs from example to example
};

// Rules take and change their operands. What an update changes in place is put back by its rule; the others are kept
// here until the rule has succeeded.
class SavedOperands {
 public:
  explicit SavedOperands(const ops::Call& call) : saved_(call.operands()) {
    if (call.entry.pointwise != nullptr) return;
    const bool in_place = &call.entry == &ops::handles().index_update || &call.entry == &ops::handles().index_add;
    for (unsigned i = in_place ? 1 : 0; i < call.operands(); ++i) saved_[i] = call.operand(i);
  }
  void restore(ops::Call& call) const {
    for (unsigned i = 0; i < call.operands(); ++i) {
      if (!saved_[i].is_none()) call.operand(i) = saved_[i];
    }
  }

 private:
  SmallVector<Value, 8> saved_;
};

// What depends on numbers (an index) is told in the terms of the first example that fails, of none in those of zeros.
void fail_example(ops::Builder& b, const OpenLevel& level, const ops::Call& call, const Flags& batched,
                  const OpError& error) {
  const ops::Effects& effects = call.entry.effects;
  const bool computes = !effects.random && !effects.prints && !effects.outside && !effects.calls;
  if (!b.is_eager() || call.entry.pointwise != nullptr || !computes) return;
  const auto try_one = [&](FunctionRef<void()> apply) {
    kernels::poll_interrupt(b.context());
    try {
      apply();
    } catch (const OpError& of_one) {
      if (of_one.code == error.code) throw;
    }
  };
  for (int64_t example = 0; example < level.size.number(); ++example)
    try_one([&] { apply_example(b, call, batched, example); });
  if (level.size == Dim(0))
    try_one([&] { of_zeros(b, call, batched, [&](ops::Call& one) { return apply_below(b, one); }); });
}

Value apply_to_examples(ops::Builder& b, const OpenLevel& level, ops::Call& call, const Flags& batched,
                        ExampleTypes& types) {
  const SavedOperands kept(call);
  Value result = Value::unbound();
  try {
    if (call.entry.batch != nullptr) result = call.entry.batch(b, call, ops::Batching{span_of(batched), level.size});
  } catch (const OpError& error) {
    kept.restore(call);
    if (error.kind != ErrorKind::ordinary) throw;
    types.recheck(b, error);
    fail_example(b, level, call, batched, error);
    throw;
  }
  return result.is_unbound() ? each_example(b, level, call, batched) : result;  // there is no rule, or it declines
}

}  // namespace

Value apply_batched(ops::Builder& b, const OpenLevel& level, ops::Call& call) {
  ExampleTypes types(call, level.level);
  Flags batched(call.operands());
  for (unsigned i = 0; i < call.operands(); ++i) {
    Value& operand = call.operand(i);
    batched[i] = is_traced_at(operand, level.level);
    if (batched[i]) operand = take_primal(std::move(operand));
  }
  try {
    return wrap_batch(level.level, apply_to_examples(b, level, call, batched, types));
  } catch (...) {
    restore_operands(call, [&](unsigned i, Value examples) {
      return batched[i] ? make_batch(level.level, std::move(examples)) : examples;
    });
    throw;
  }
}

Value example_of(ops::Builder& b, const Value& examples, const Value& index) {
  if (examples.is_tensor() && index.is_scalar()) return item_of(examples, index.i64());
  ops::IndexSpec spec;
  spec.push(ops::IndexSpec::Item::at);
  Value args[] = {examples, Value(spec.packed())};
  Value items[] = {index};
  return ops::call(b, ops::handles().index_read, args, items);
}

namespace {

Value example_leaf(ops::Builder& b, const Value& value, uint64_t level, int64_t index) {
  if (!value.is_traced()) return value;
  const Traced& traced = value.traced();
  if (traced.trace == TraceKind::batch && traced.level == level) return example_of(b, traced.primal, Value(index));
  if (traced.trace != TraceKind::batch) return example_leaf(b, traced.primal, level, index);
  return value;
}

}  // namespace

Value example_at(ops::Builder& b, const Value& tree, uint64_t level, int64_t index) {
  if (!is_tree(tree)) return example_leaf(b, tree, level, index);
  return map_leaves(tree, [&](const Value& leaf) { return example_leaf(b, leaf, level, index); });
}

}  // namespace covec::autodiff
