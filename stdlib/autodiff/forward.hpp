// Forward mode: values carry their tangents.
#pragma once

#include "stdlib/autodiff/level.hpp"
#include "stdlib/ops/contract/entry.hpp"

namespace covec::autodiff {

Value apply_forward(ops::Builder& builder, const OpenLevel& level, ops::Call& call);

// One applied operator as its rules see it.
struct Application {
  const ops::Entry& entry;
  const ops::Residuals& residuals;
  std::span<const bool> numeric;  // by operand: has a type
  uint32_t literals;
};

// The tangent of a result by its operator's rule; none for zero. Tangents are by operand, none for zero. Shared with
// the push along a tape.
Value tangent_of(ops::RuleContext& rules, const Application& application, std::span<const Value> tangents);

// What a value of `type` is told to have, zeros where it has none.
Value tangent_or_zeros(ops::Builder& builder, const Value& tangent, const Type& type);

// `value` broadcast and cast to `type`, which it fits: what a rule gave, made a tangent.
Value broadcast_into(ops::RuleContext& rules, Value value, const Type& type);
// `value` summed and cast to `type`, which broadcasts to it: what a rule gave, made a cotangent.
Value sum_into(ops::RuleContext& rules, Value value, const Type& type);

}  // namespace covec::autodiff
