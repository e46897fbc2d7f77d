// The kernels that draw random numbers: one per distribution, dtype and instruction set.
#pragma once

#include <cstdint>

namespace covec::kernels {

// Writes elements [first, first + n) of draw `call` under `key` to out[0..n).
using DrawKernel = void (*)(void* out, int64_t first, int64_t n, uint64_t key, uint64_t call);

struct DrawKernels {
  DrawKernel uniform_f32, uniform_f64, normal_f32, normal_f64;
  DrawKernel words;  // 64 random bits each
};

}  // namespace covec::kernels

namespace covec::baseline {
const kernels::DrawKernels& draw_kernels();
}
namespace covec::avx2 {
const kernels::DrawKernels& draw_kernels();
}
namespace covec::avx512 {
const kernels::DrawKernels& draw_kernels();
}
