// Applies an operator whose operands are traced: the highest level acts. Start at apply_traced.
#pragma once

#include "stdlib/autodiff/level.hpp"

namespace covec::autodiff {

Value apply_traced(ops::Builder& builder, ops::Call& call);
// Applies a call that has been unwrapped by one level: to the next level down, or to the engine.
Value apply_below(ops::Builder& builder, ops::Call& call);
// The same for an operator without a derivative: its result is a constant, or an error where that would be a silent
// zero.
Value apply_constant(ops::Builder& builder, ops::Call& call);
// Whether a result is something to differentiate: a float tensor.
bool is_differentiable(const Value& result);

}  // namespace covec::autodiff
