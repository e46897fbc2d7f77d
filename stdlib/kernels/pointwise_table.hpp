// The eager kernels of pointwise operators: one function per operator, computing dtype and instruction set. A row per
// operator, in the order of its family's list.
#pragma once

#include <cstdint>

namespace covec::kernels {

// Computes out[0..n) from contiguous operands; where bit i of `splat` is set, in[i] points at one element that stands
// for all. `parameter` is the operator's integer attribute. Gives the first index that fails, or -1. `out` may be in[i]
// where that one is not splat and has elements of the same size.
using PointwiseKernel = int64_t (*)(void* out, const void* const* in, int64_t n, unsigned splat, int64_t parameter);

inline constexpr int dtype_slots = 7;  // Dtype's numbering
struct KernelRow {
  PointwiseKernel by_dtype[dtype_slots] = {};
};

}  // namespace covec::kernels

// Each instruction set has the same five functions (stdlib/kernels/pointwise_*.cpp).
namespace covec::baseline {
const kernels::KernelRow* arithmetic_rows();
const kernels::KernelRow* comparison_rows();
const kernels::KernelRow* logic_rows();
const kernels::KernelRow* function_rows();
kernels::PointwiseKernel cast_kernel(uint8_t from, uint8_t to);
}  // namespace covec::baseline
namespace covec::avx2 {
const kernels::KernelRow* arithmetic_rows();
const kernels::KernelRow* comparison_rows();
const kernels::KernelRow* logic_rows();
const kernels::KernelRow* function_rows();
kernels::PointwiseKernel cast_kernel(uint8_t from, uint8_t to);
}  // namespace covec::avx2
namespace covec::avx512 {
const kernels::KernelRow* arithmetic_rows();
const kernels::KernelRow* comparison_rows();
const kernels::KernelRow* logic_rows();
const kernels::KernelRow* function_rows();
kernels::PointwiseKernel cast_kernel(uint8_t from, uint8_t to);
}  // namespace covec::avx512
