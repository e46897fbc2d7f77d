// debug=true: looking for NaN and infinity in a cotangent, whatever has been wrapped around it.
#pragma once

#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::autodiff {

bool all_finite(Pool& pool, const Value& value);

}  // namespace covec::autodiff
