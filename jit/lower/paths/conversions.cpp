#include "jit/lower/paths/conversions.hpp"

#include "jit/lower/graph/not_staged.hpp"
#include "jit/lower/paths/alike.hpp"
#include "jit/lower/paths/chosen.hpp"
#include "jit/lower/paths/optional.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/ops/contract/rules.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/derivatives/directional.hpp"
#include "stdlib/ops/general/lists.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

namespace {

bool is_traced_in(const Value& value, uint64_t level) {
  for (const Value* at = &value; at->is_traced(); at = &at->traced().primal) {
    if (at->traced().level == level) return true;
  }
  return false;
}

}  // namespace

void Conversions::refuse_active(const Value& value) const {
  for (const Value* at = &value; at->is_traced(); at = &at->traced().primal) {
    if (at->traced().trace == TraceKind::tape && is_open_tape(context(), *at)) {
      not_staged("a batched value on one path only");
    }
  }
}

// Item by item.
Value Conversions::list_to_batch(const Value& list, Dim size) {
  ItemType items = items_of(list);
  ++items.rank;
  Value batched = lists_.none_of(items);
  control_flow_.repeat(ops::call(builder_, ops::list_length_entry(), {list}), {&batched}, [&](const Value& number) {
    const Value item = ops::call(builder_, ops::list_item_entry(), {list, number});
    batched = ops::call(builder_, ops::list_push_entry(), {std::move(batched), to_batch(item, size)});
    return Value();
  });
  return batched;
}

bool Conversions::is_active_outside(uint64_t batch) const {
  for (const autodiff::OpenLevel* level = context().innermost; level != nullptr; level = level->outer) {
    if (level->kind == TraceKind::tape && level->level < batch) return true;
  }
  return false;
}

Value Conversions::to_batch(const Value& value, Dim size) {
  refuse_active(value);
  if (is_run_list(value)) return list_to_batch(value, size);
  Shape shape = logical_type(value).shape;
  shape.insert(0, size);
  return ops::broadcast_to(builder_, value, shape);
}

Value Conversions::as_one(const Value& list, const ItemType& items) {
  if (is_run_list(list)) return list;
  const std::vector<Value>& all = list.list().items();
  if (!items.leaves.empty()) {
    std::vector<Value> columns = all.empty() ? std::vector<Value>(items.leaves.size(), list) : lists_.columns_of(list);
    for (size_t i = 0; i < columns.size(); ++i) columns[i] = as_one(columns[i], items.leaves[i]);
    return ListOfTrees::list_of_trees(items.tree, std::move(columns));
  }
  if (all.empty()) {
    ItemType stored = items;
    stored.rank += static_cast<unsigned>(items.batches.size());
    Value none = lists_.none_of(stored);
    for (const uint64_t level : items.batches) none = autodiff::make_batch(level, std::move(none));
    return none;
  }
  if (items.batches.empty()) return lists_.as_one(builder_, list);
  if (items.batches.size() > 1) not_staged("a list whose items are batched by several vmaps");
  const uint64_t level = items.batches[0];
  std::vector<Value> batched;
  for (const Value& item : all) {
    const bool there = is_traced_in(item, level);
    batched.push_back(
        there ? item : autodiff::make_batch(level, to_batch(item, autodiff::find_level(context(), level)->size)));
  }
  return lists_.as_one(builder_, make_list(std::move(batched)));
}

Value Conversions::nothing_like(const Value& masked) { return empty_masked_list(items_of(masked.tuple().items[0])); }

Value Conversions::with_lists(const Value& tree, const std::map<unsigned, ItemType>& lists) {
  unsigned number = 0;
  return with_lists_from(tree, lists, number);
}

Value Conversions::with_lists_from(const Value& tree, const std::map<unsigned, ItemType>& lists, unsigned& number) {
  if (tree.is_traced()) return tree;
  if (is_list(tree)) {
    const auto found = lists.find(number++);
    if (found != lists.end()) return as_one(tree, found->second);
  }
  if (is_leaf(tree) || !is_compound(tree)) return tree;
  return map_parts(tree, [&](const Value& part) { return with_lists_from(part, lists, number); });
}

Value Conversions::undefined_traced(const Traced& like) {
  Value primal = undefined_like(like.primal);
  if (like.trace == TraceKind::batch) return autodiff::make_batch(like.level, std::move(primal));
  if (like.trace == TraceKind::tape) return primal;
  const bool none = like.tangent.is_none() || like.tangent.is_unbound();
  return autodiff::make_jvp(like.level, std::move(primal), none ? Value() : undefined_like(like.tangent));
}

Value Conversions::undefined_leaf(const Value& like) {
  if (writer_.is_boxed(like) && !is_list_symbol(like)) return undefined_boxed();
  Operation operation;
  operation.kind = Kind::undefined;
  Value result;
  if (is_list_symbol(like)) {
    const ItemType items = items_of(like);
    result = writer_.list_result_of(operation, items.dtype, items.rank);
  } else {
    result = writer_.result_of(operation, logical_type(like));
    undefined_.insert(id_of(result));
  }
  writer_.append(std::move(operation));
  return result;
}

Value Conversions::undefined_boxed() {
  Operation operation;
  operation.kind = Kind::undefined;
  Value result = writer_.boxed_result_of(operation);
  writer_.append(std::move(operation));
  return result;
}

ConditionalValue Conversions::as_optional(const Value& value, const Value& like) {
  if (const ConditionalValue* const optional = optional_in(value)) return *optional;
  if (!value.is_none()) return {value, Value(true)};
  const ConditionalValue* const of = optional_in(like);
  return {undefined_like(of != nullptr ? of->value : like), Value(false)};
}

Value Conversions::as_one_of(const Value& function, const std::vector<Value>& functions) {
  return as_chosen(builder_, function, functions, [&](const Value& like) { return undefined_like(like); });
}

Value Conversions::zeros_like(const Value& like, Type type) {
  if (!like.is_traced()) return ops::RuleContext(builder_, false).zeros(type);
  const Traced& traced = like.traced();
  if (traced.trace != TraceKind::batch) return zeros_like(traced.primal, std::move(type));
  type.shape.insert(0, autodiff::find_level(context(), traced.level)->size);
  return autodiff::make_batch(traced.level, zeros_like(traced.primal, std::move(type)));
}

ConditionalValue Conversions::conditional(const Value& primal, const Value& tangent, const Value& like) {
  if (const ConditionalValue* const held = conditional_values_.find(tangent)) {
    if (held->absent == ConditionalValue::Absent::undefined) not_staged("a tangent that is defined on one path only");
    return *held;
  }
  if (!tangent.is_none()) return {tangent, Value(true), ConditionalValue::Absent::zeros};
  Type type = logical_type(primal);
  const Value bottom = autodiff::without_derivatives(primal);
  if (is_symbol(bottom) && undefined_.contains(id_of(bottom))) {  // it has its like's extents in name only
    for (unsigned axis = 0; axis < type.shape.rank(); ++axis)
      type.shape[axis] = writer_.dimensions().axis_of(id_of(bottom), axis);
  }
  return {zeros_like(like, std::move(type)), Value(false), ConditionalValue::Absent::zeros};
}

Value Conversions::undefined_like(const Value& like) {
  if (like.is_traced()) return undefined_traced(like.traced());
  if (is_leaf(like)) return undefined_leaf(like);
  // What its tape holds may be of the other path.
  if (like.is(ObjectKind::function) && autodiff::is_staged_pullback(like)) not_staged("a pullback from vjp");
  if (!is_compound(like)) return like;
  return map_parts(like, [&](const Value& part) { return undefined_like(part); });
}

}  // namespace covec::ir
