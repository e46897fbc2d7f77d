// vmap: applies a function to each example.
#pragma once

#include "stdlib/ops/derivatives/transformed.hpp"

namespace covec::autodiff {

Value make_vmap(Value f, Value in_axes);

}  // namespace covec::autodiff
