#include "jit/lower/paths/staged_tangents.hpp"

#include <algorithm>

#include "jit/lower/graph/complex_parts.hpp"
#include "stdlib/autodiff/renewal.hpp"

namespace covec::ir {

void StagedTangents::where_present(Value& tangent, std::span<Value* const> others, FunctionRef<void()> pass) const {
  const ConditionalValue* const held = conditional_values_.find(tangent);
  tangent = Value();
  if (held == nullptr) return;
  std::vector<Value*> all;
  for (Value* other : others) {
    if (other != &tangent) all.push_back(other);
  }
  where_holds(held->is_defined, all, [&] {
    tangent = held->value;
    pass();
    tangent = Value();
  });
}

void StagedTangents::where_holds(const Value& condition, std::span<Value* const> others,
                                 FunctionRef<void()> pass) const {
  Staging::Variables variables;
  for (Value* other : others) {
    if (std::find(variables.begin(), variables.end(), other) == variables.end()) variables.push_back(other);
  }
  unbound_where_absent(variables);
  control_flow_.branch(
      condition, variables,
      [&] {
        none_where_absent(variables);
        pass();
        unbound_where_absent(variables);
      },
      [] {});
  none_where_absent(variables);
}

Value StagedTangents::absent_zeros(ops::RuleContext&, const Value& tangent, const Type& type) const {
  const ConditionalValue* const held = conditional_values_.find(tangent);
  return conversions_.zeros_like(held == nullptr ? Value() : held->value, type);
}

Value StagedTangents::completed(const Value& tangent, FunctionRef<Value(Value)> with) const {
  const ConditionalValue* const held = conditional_values_.find(tangent);
  if (held == nullptr) return with(tangent.is_unbound() ? Value() : tangent);
  Value result = Value::unbound();
  control_flow_.branch(
      held->is_defined, {&result}, [&] { result = with(held->value); }, [&] { result = with(Value()); });
  return result;
}

Value StagedTangents::conditional(Value value, Value is_defined, bool zeros) const {
  return conditional_values_.hold({std::move(value), std::move(is_defined),
                                   zeros ? ConditionalValue::Absent::zeros : ConditionalValue::Absent::anything});
}

const Value* StagedTangents::or_zeros(const Value& tangent) const {
  const ConditionalValue* const held = conditional_values_.find(tangent);
  return held != nullptr && held->absent == ConditionalValue::Absent::zeros ? &held->value : nullptr;
}

const Value* StagedTangents::or_anything(const Value& tangent) const {
  const ConditionalValue* const held = conditional_values_.find(tangent);
  return held != nullptr && held->absent != ConditionalValue::Absent::undefined ? &held->value : nullptr;
}

Value StagedTangents::renewed(const Value& cotangent) const {
  const ConditionalValue* const held = conditional_values_.find(cotangent);
  if (held == nullptr || context_.innermost == nullptr) return cotangent;
  ConditionalValue renewed = *held;
  autodiff::renew_if_open(context_, renewed.value);
  return conditional_values_.hold(std::move(renewed));
}

Value StagedTangents::is_present(const Value& tangent) const {
  const ConditionalValue* const held = conditional_values_.find(tangent);
  return held != nullptr ? held->is_defined : Value(!tangent.is_none() && !tangent.is_unbound());
}

Value StagedTangents::with_extents(Value tangent, const Shape& shape) const {
  return ir::with_extents(writer_, tangent, shape);
}

}  // namespace covec::ir
