// Tangents and cotangents that only some paths have, as the compiler's builder stages them: a ConditionalValue each.
// What is done where one is present becomes a branch on its flag.
#pragma once

#include "jit/lower/paths/conversions.hpp"
#include "stdlib/autodiff/conditional_tangents.hpp"

namespace covec::ir {

class StagedTangents final : public autodiff::ConditionalTangents {
 public:
  StagedTangents(const ops::Context& context, GraphWriter& writer, Conversions& conversions,
                 ConditionalValues& conditional_values, ControlFlow& control_flow)
      : context_(context),
        writer_(writer),
        conversions_(conversions),
        conditional_values_(conditional_values),
        control_flow_(control_flow) {}

  void where_present(Value& tangent, std::span<Value* const> others, FunctionRef<void()> pass) const override;
  void where_holds(const Value& condition, std::span<Value* const> others, FunctionRef<void()> pass) const override;
  Value conditional(Value value, Value is_defined, bool zeros) const override;
  const Value* or_zeros(const Value& tangent) const override;
  const Value* or_anything(const Value& tangent) const override;
  Value absent_zeros(ops::RuleContext& rules, const Value& tangent, const Type& type) const override;
  Value completed(const Value& tangent, FunctionRef<Value(Value)> with) const override;
  Value renewed(const Value& cotangent) const override;
  Value is_present(const Value& tangent) const override;
  Value with_extents(Value tangent, const Shape& shape) const override;

 private:
  const ops::Context& context_;
  GraphWriter& writer_;
  Conversions& conversions_;
  ConditionalValues& conditional_values_;
  ControlFlow& control_flow_;
};

}  // namespace covec::ir
