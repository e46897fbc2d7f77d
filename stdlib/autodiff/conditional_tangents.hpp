// Tangents and cotangents that only some paths have. While a function is staged, a branch or a loop may give a value
// one on some paths only. It is unbound then, and the engine knows where it is present. The sweep and forward mode ask
// the engine here. Operators' rules cannot: they are applied where a tangent is present, or to what stands for it.
#pragma once

#include "stdlib/ops/contract/rules.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::autodiff {

class ConditionalTangents {
 public:
  // Runs `pass` where the tangent is present (it holds the value meanwhile); `others` may change in it.
  virtual void where_present(Value& tangent, std::span<Value* const> others, FunctionRef<void()> pass) const = 0;
  // Runs `pass`, in which `others` may change, where the condition holds: a bool, or a Symbol.
  virtual void where_holds(const Value& condition, std::span<Value* const> others, FunctionRef<void()> pass) const = 0;
  // A tangent that is present where a condition holds. Elsewhere the value is zeros, or anything that may be read.
  virtual Value conditional(Value value, Value is_defined, bool zeros = true) const = 0;
  // The value, which is zeros where the tangent is absent; nullptr if it is not.
  virtual const Value* or_zeros(const Value& tangent) const = 0;
  // The value, which may be read on every path; nullptr if it may not.
  virtual const Value* or_anything(const Value& tangent) const = 0;
  // Zeros of that type for the paths where the tangent is absent: for each example, if its value is a batch.
  virtual Value absent_zeros(ops::RuleContext& rules, const Value& tangent, const Type& type) const = 0;
  // with(value) where it is present, with(none) elsewhere.
  virtual Value completed(const Value& tangent, FunctionRef<Value(Value)> with) const = 0;
  // The same cotangent, whose value is a new one to outer derivatives (renewal.hpp).
  virtual Value renewed(const Value& cotangent) const = 0;
  // Whether it is present, as a bool.
  virtual Value is_present(const Value& tangent) const = 0;
  // The same tangent, which has the value's shape: while a function is staged, its extents may be unknown.
  virtual Value with_extents(Value tangent, const Shape& shape) const = 0;

 protected:
  ~ConditionalTangents() = default;
};

// The builder's. In eager code each tangent is present or none.
const ConditionalTangents& conditional_tangents(const ops::Builder& builder);

// The tangent with zeros of that type where it is absent, whether it is conditional, none or present.
Value zeros_where_absent(ops::RuleContext& rules, Value tangent, const Type& type);

}  // namespace covec::autodiff
