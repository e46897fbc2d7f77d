// The eager kernels of pointwise operators: one function per operator, computing dtype and instruction set. A row per
// operator, in the order of its family's list.
#pragma once

#include <cstdint>

#include "built/isas.hpp"

namespace covec::kernels {

// Computes out[0..n) from contiguous operands; where bit i of `splat` is set, in[i] points at one element that stands
// for all. `parameter` is the operator's integer attribute. Gives the first index that fails, or -1. `out` may be in[i]
// where that one is not splat and has elements of the same size.
using PointwiseKernel = int64_t (*)(void* out, const void* const* in, int64_t n, unsigned splat, int64_t parameter);

struct KernelRow {
  PointwiseKernel by_compute[5] = {};  // Compute's numbering
};

}  // namespace covec::kernels

// Each instruction set has the same functions (stdlib/ops/elementwise/kernels/*.cpp).
COVEC_DECLARE_PER_ISA(const kernels::KernelRow* arithmetic_rows(); const kernels::KernelRow* comparison_rows();
                      const kernels::KernelRow* logic_rows(); const kernels::KernelRow* rounding_rows();
                      const kernels::KernelRow* function_rows(); const kernels::KernelRow* root_rows();
                      const kernels::KernelRow* logarithm_rows(); const kernels::KernelRow* angle_rows();
                      const kernels::KernelRow* hyperbolic_rows(); const kernels::KernelRow* error_function_rows();
                      const kernels::KernelRow* gamma_rows(); const kernels::KernelRow* derivative_rows();
                      const kernels::KernelRow* error_derivative_rows();
                      const kernels::KernelRow* point_derivative_rows();
                      const kernels::KernelRow* power_derivative_rows();
                      kernels::PointwiseKernel cast_kernel(uint8_t from, uint8_t to);)
