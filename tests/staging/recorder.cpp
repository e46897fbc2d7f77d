#include "tests/staging/recorder.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "stdlib/autodiff/apply.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::test {

namespace {

uint32_t id_of(const Value& symbol) { return static_cast<const Symbol*>(symbol.object())->id; }

bool has_symbols(std::span<const Value> values) {
  bool any = false;
  for (const Value& value : values) each_leaf(value, [&](const Value& leaf) { any |= leaf.is_symbol(); });
  return any;
}

// Attributes must be plain: a level's wrapping means nothing to the run.
void expect_plain(const ops::Entry& entry, std::span<const Value> values) {
  for (const Value& value : values) {
    each_leaf(value, [&](const Value& leaf) { EXPECT_FALSE(leaf.is_traced()) << entry.name; });
  }
}

}  // namespace

Value Recorder::symbol(const Type& type) {
  types_.push_back(type);
  return Value::adopt(new Symbol(type, static_cast<uint32_t>(types_.size() - 1)));
}

Dim Recorder::dimension(const Expression& expression) {
  const auto found = std::find(dims_.begin(), dims_.end(), expression);
  if (found != dims_.end() && expression.rule != Rule::pending)
    return Dim::symbol(static_cast<uint32_t>(found - dims_.begin()));
  dims_.push_back(expression);
  return Dim::symbol(static_cast<uint32_t>(dims_.size() - 1));
}

Value Recorder::input(Dtype dtype, unsigned rank) {
  const auto id = static_cast<uint32_t>(types_.size());
  Type type{dtype, {}};
  for (uint32_t axis = 0; axis < rank; ++axis) type.shape.push_back(dimension({Rule::axis_of, id, axis}));
  inputs_.push_back(id);
  return symbol(type);
}

Value Recorder::inputs_like(const Value& tree) {
  return map_leaves(tree,
                    [&](const Value& leaf) { return leaf.is_numeric() ? input(dtype_of(leaf), rank_of(leaf)) : leaf; });
}

Dim Recorder::unknown_dim() { return dimension({}); }

Dim Recorder::dim_of(const Value& number) {
  if (!number.is_symbol()) return Dim(ops::integer_of(number));
  for (const auto& [id, dim] : extents_) {
    if (id == id_of(number)) return dim;
  }
  return dimension({Rule::number, id_of(number)});
}

bool Recorder::is_extent(const Value& number) const {
  return number.is_symbol() &&
         std::any_of(extents_.begin(), extents_.end(), [&](const auto& each) { return each.first == id_of(number); });
}

Value Recorder::extent(Dim dim) {
  if (dim.known()) return dim.number();
  EXPECT_NE(dims_[dim.id()].rule, Rule::pending) << "an extent that no axis has";
  for (const auto& [id, known] : extents_) {
    if (known == dim) return Value::adopt(new Symbol(types_[id], id));
  }
  Step step;
  step.dim = dim;
  Value result = symbol({Dtype::i64, {}});
  step.result = id_of(result);
  steps_.push_back(std::move(step));
  extents_.emplace_back(id_of(result), dim);
  return result;
}

Value Recorder::apply(ops::Call& call) {
  const ops::Entry& entry = call.entry;
  if (entry.staging == ops::Staging::structural) return entry.eager(*this, call);
  if (entry.staging == ops::Staging::opaque) fail_not_staged(std::string(entry.name));
  if (entry.reduce != nullptr && entry.reduce->composed) return entry.eager(*this, call);
  ops::check_operands(*this, call);
  expect_plain(entry, call.args);
  expect_plain(entry, call.rest);
  if (!has_symbols(call.args) && !has_symbols(call.rest) && !entry.effects.random) return entry.eager(eager_, call);
  const Type type = entry.type(*this, call);
  Step step{&entry, {call.args.begin(), call.args.end()}, {call.rest.begin(), call.rest.end()}, call.literals};
  Value result = symbol(type);
  step.result = id_of(result);
  for (uint32_t axis = 0; axis < type.shape.rank(); ++axis) {
    const Dim dim = type.shape[axis];
    if (!dim.known() && dims_[dim.id()].rule == Rule::pending) dims_[dim.id()] = {Rule::axis_of, step.result, axis};
  }
  steps_.push_back(std::move(step));
  return result;
}

Value Recorder::apply_traced(ops::Call& call) { return autodiff::apply_traced(*this, call); }

// --- the run ---

int64_t Recorder::size_of_dim(Dim dim, const std::vector<Value>& values) const {
  if (dim.known()) return dim.number();
  const Expression& rule = dims_[dim.id()];
  switch (rule.rule) {
    case Rule::axis_of: return shape_of(values[rule.value])[rule.axis].number();
    case Rule::number: return ops::integer_of(values[rule.value]);
    case Rule::add: return size_of_dim(rule.left, values) + size_of_dim(rule.right, values);
    case Rule::multiply: return size_of_dim(rule.left, values) * size_of_dim(rule.right, values);
    case Rule::broadcast: {
      const int64_t left = size_of_dim(rule.left, values);
      return left == 1 ? size_of_dim(rule.right, values) : left;
    }
    case Rule::pending: break;
  }
  ADD_FAILURE() << "a dimension that nothing says";
  return 0;
}

Value Recorder::filled(const Value& tree, const std::vector<Value>& values) const {
  return map_leaves(tree, [&](const Value& leaf) {
    if (leaf.is_symbol()) return values[id_of(leaf)];
    const auto* range = leaf.is(ObjectKind::sequence) ? dynamic_cast<const SymbolicRange*>(&leaf.sequence()) : nullptr;
    if (range == nullptr) return leaf;
    const auto number = [&](const Value& bound) { return ops::integer_of(filled(bound, values)); };
    return make_range(number(range->start), number(range->stop), range->stride);
  });
}

Value Recorder::run_step(const Step& step, const std::vector<Value>& values) {
  if (step.entry == nullptr) return size_of_dim(step.dim, values);
  std::vector<Value> args, rest;
  for (const Value& arg : step.args) args.push_back(filled(arg, values));
  for (const Value& arg : step.rest) rest.push_back(filled(arg, values));
  ops::Call call{*step.entry, args, rest, step.literals};
  return eager_.apply(call);
}

void Recorder::check(uint32_t id, const std::vector<Value>& values) const {
  const Type type = type_of(values[id]);
  ASSERT_EQ(type.dtype, types_[id].dtype);
  ASSERT_EQ(type.shape.rank(), types_[id].shape.rank());
  for (unsigned axis = 0; axis < type.shape.rank(); ++axis) {
    EXPECT_EQ(type.shape[axis].number(), size_of_dim(types_[id].shape[axis], values)) << "axis " << axis;
  }
}

Value Recorder::run(const Value& result, const std::vector<Value>& inputs) {
  EXPECT_EQ(inputs.size(), inputs_.size());
  std::vector<Value> values(types_.size());
  for (size_t i = 0; i < inputs.size(); ++i) values[inputs_[i]] = inputs[i];
  for (const Step& step : steps_) {
    SCOPED_TRACE(step.entry == nullptr ? "an extent" : std::string(step.entry->name));
    values[step.result] = run_step(step, values);
    check(step.result, values);
  }
  return filled(result, values);
}

}  // namespace covec::test
