// The table of product kernels of one instruction set.
#include "stdlib/kernels/gemm_body.hpp"

namespace covec::COVEC_ISA {

namespace {
constexpr kernels::GemmKernel f32_kernel = Products<float>::table(), f64_kernel = Products<double>::table();
constexpr kernels::GemmKernel i32_kernel = Products<uint32_t>::table(), i64_kernel = Products<uint64_t>::table();
}  // namespace

const kernels::GemmKernel* gemm_kernel(Compute compute) {
  switch (compute) {
    case Compute::f32: return &f32_kernel;
    case Compute::f64: return &f64_kernel;
    case Compute::i32: return &i32_kernel;
    case Compute::i64: return &i64_kernel;
    case Compute::boolean: break;
  }
  return nullptr;
}

}  // namespace covec::COVEC_ISA
