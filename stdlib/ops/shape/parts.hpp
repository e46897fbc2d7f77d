// What the files of the shape family share.
#pragma once

#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/tensor/views.hpp"

namespace covec::ops {

// Every example summed to a shape that broadcasts to its own; the examples lie along the first `leading` axes. The
// sum's axes of size 1 are gone.
Value sum_examples_to(Builder& builder, Value x, const Type& example, const Shape& to, unsigned leading);

}  // namespace covec::ops
