#include "jit/lower/conversions.hpp"

#include "jit/lower/alike.hpp"
#include "jit/lower/not_staged.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/ops/contract/rules.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

void Conversions::refuse_active(const Value& value) const {
  for (const Value* at = &value; at->is_traced(); at = &at->traced().primal) {
    if (at->traced().trace == TraceKind::tape && is_open_tape(context(), *at)) {
      not_staged("a value that differs between examples on one path only");
    }
  }
}

bool Conversions::is_followed_outside(uint64_t batch) const {
  for (const autodiff::OpenLevel* level = context().innermost; level != nullptr; level = level->outer) {
    if (level->kind == TraceKind::tape && level->level < batch) return true;
  }
  return false;
}

Value Conversions::to_batch(const Value& value, Dim size) {
  refuse_active(value);
  Shape shape = logical_type(value).shape;
  shape.insert(0, size);
  return ops::broadcast_to(builder_, value, shape);
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

Maybe Conversions::perhaps(const Value& primal, const Value& tangent) {
  if (const Maybe* const held = maybes_.find(tangent)) {
    if (held->absent == Maybe::Absent::undefined) not_staged("a tangent that one path only has");
    return *held;
  }
  if (!tangent.is_none()) return {tangent, Value(true), Maybe::Absent::zeros};
  Type type = logical_type(primal);
  const Value bottom = autodiff::without_derivatives(primal);
  if (is_symbol(bottom) && undefined_.contains(id_of(bottom))) {  // it has its like's extents in name only
    for (unsigned axis = 0; axis < type.shape.rank(); ++axis)
      type.shape[axis] = writer_.dimensions().axis_of(id_of(bottom), axis);
  }
  return {ops::RuleContext(builder_, false).zeros(type), Value(false), Maybe::Absent::zeros};
}

Value Conversions::undefined_like(const Value& like) {
  if (like.is_traced()) return undefined_traced(like.traced());
  if (is_leaf(like)) return undefined_leaf(like);
  if (!is_compound(like)) return like;
  return map_parts(like, [&](const Value& part) { return undefined_like(part); });
}

}  // namespace covec::ir
