// jacobian and hessian: all derivatives of all outputs in one vectorized pass.
#pragma once

#include "stdlib/ops/derivatives/transformed.hpp"

namespace covec::autodiff {

enum class JacobianMode : uint8_t { automatic, forward, reverse };

Value make_jacobian(std::string_view transform, Value f, Parameters wrt, JacobianMode mode);
Value make_hessian(Value f, Parameters wrt);

}  // namespace covec::autodiff
