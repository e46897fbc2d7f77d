#include "stdlib/kernels/transposed_tiles.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif
#include <cstring>

#include "stdlib/kernels/gemm_plan.hpp"

namespace covec::kernels {

namespace {

// Whose pack() turns elements of that size; nullptr: there is none.
const GemmKernel* turning_kernel(ops::Isa isa, size_t size) {
  if (size < 4) return nullptr;
  return &gemm_kernel_for(isa, size == 4 ? Dtype::i32 : Dtype::i64);
}

}  // namespace

void turn(ops::Isa isa, const std::byte* from, int64_t rows, int64_t columns, int64_t column_stride, size_t size,
          std::byte* to, int64_t to_stride) {
  const GemmKernel* kernel = turning_kernel(isa, size);
  if (kernel != nullptr)
    kernel->pack(from, 1, column_stride, rows, columns, to_stride, to);
  else
    pack_tile(from, rows, 1, columns, column_stride, size, to, to_stride);
}

#if defined(__x86_64__)
void write_past_cache(std::byte* to, const std::byte* from, size_t bytes) {
  if (reinterpret_cast<uintptr_t>(to) % 64 != 0 || bytes % 64 != 0) {
    std::memcpy(to, from, bytes);
    return;
  }
  for (size_t at = 0; at < bytes; at += 16) {
    __m128i part;
    std::memcpy(&part, from + at, sizeof part);
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at), part);
  }
}

void written_past_cache() { _mm_sfence(); }
#else  // no such stores
void write_past_cache(std::byte* to, const std::byte* from, size_t bytes) { std::memcpy(to, from, bytes); }
void written_past_cache() {}
#endif

}  // namespace covec::kernels
