// Kernels that convert elements.
#pragma once

#include "stdlib/ops/elementwise/kernels/table.hpp"
#include "stdlib/value/context.hpp"

namespace covec::ops {

kernels::PointwiseKernel cast_kernel_for(Isa isa, Dtype from, Dtype to);

}  // namespace covec::ops
