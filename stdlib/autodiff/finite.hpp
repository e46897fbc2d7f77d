// debug=true: checks cotangents for NaN and infinity, below all wrappers.
#pragma once

#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::autodiff {

bool all_finite(Pool& pool, const Value& value);

}  // namespace covec::autodiff
