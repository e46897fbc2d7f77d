// The kernels that draw random numbers: one per kind of number and instruction set.
#pragma once

#include <cstdint>

#include "built/isas.hpp"
#include "stdlib/ops/random/numbers.hpp"

namespace covec::kernels {

struct DrawKernel {
  // Writes elements [first, first + n) of draw `call` under `key` to out[0..n).
  void (*of_elements)(void* out, uint64_t first, int64_t n, uint64_t key, uint64_t call);
  // The same of element `element` of draws [first, first + n).
  void (*of_calls)(void* out, uint64_t element, int64_t n, uint64_t key, uint64_t first);
  // Numbers [first, first + n) of those that draw `call` gives under many keys, `count` elements for each key.
  void (*of_keys)(void* out, const uint64_t* keys, int64_t count, int64_t first, int64_t n, uint64_t call);
  // The keys of examples [0, n) under `key`: kernels::example_key.
  void (*example_keys)(uint64_t* out, int64_t n, uint64_t key);
};

}  // namespace covec::kernels

COVEC_DECLARE_PER_ISA(const kernels::DrawKernel& draw_kernel(ops::Numbers numbers);)
