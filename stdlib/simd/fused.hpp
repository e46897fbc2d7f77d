// Fused multiply-add for machines without an instruction for it, exact to the last bit. What rounding loses of a
// product and of a sum is a number itself (T. Dekker, "A floating-point technique for extending the available
// precision", 1971), so that the exact result lies between two numbers that differ little. Where both round to the
// same, that is the result. The rest, ties and extreme exponents, is left to the C library.
#pragma once

#include <cstdint>

namespace covec::COVEC_ISA {

// Registers of wasm have 16 bytes. These are the types that other headers have names of their own for.
typedef float FusedF32 __attribute__((vector_size(16)));
typedef double FusedF64 __attribute__((vector_size(16)));
typedef int64_t FusedI64 __attribute__((vector_size(16)));

// Factors that make a number a little smaller or larger by more than its rounding was: 1 ∓ 2^-52.
inline constexpr double shrunk = 0x1.ffffffffffffep-1, grown = 0x1.0000000000001p0;

// Products within these have errors that are numbers, and no step of the sums overflows.
inline constexpr double min_product = 0x1p-900, max_product = 0x1p1000;

[[gnu::noinline]] inline FusedF64 fused_apart(FusedF64 a, FusedF64 b, FusedF64 c) {
  for (int i = 0; i < 2; ++i) c[i] = a[i] == 0 || b[i] == 0 ? a[i] * b[i] + c[i] : __builtin_fma(a[i], b[i], c[i]);
  return c;
}
[[gnu::noinline]] inline FusedF32 fused_apart(FusedF32 a, FusedF32 b, FusedF32 c) {
  for (int i = 0; i < 4; ++i) c[i] = __builtin_fmaf(a[i], b[i], c[i]);
  return c;
}

// Its upper half, of 26 bits.
[[gnu::always_inline]] inline FusedF64 upper_half(FusedF64 a) {
  constexpr double split = 134217729;  // 2^27 + 1
  const FusedF64 scaled = a * split;
  return scaled - (scaled - a);
}

[[gnu::always_inline]] inline bool both(FusedI64 mask) { return (mask[0] & mask[1]) != 0; }

// NaN and what overflows on the way make the two results differ.
[[gnu::always_inline]] inline FusedF64 fused(FusedF64 a, FusedF64 b, FusedF64 c) {
  const FusedF64 product = a * b, a1 = upper_half(a), b1 = upper_half(b), a2 = a - a1, b2 = b - b1;
  const FusedF64 of_product = ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2;
  const FusedF64 sum = product + c, added = sum - product, of_sum = (product - (sum - added)) + (c - added);
  const FusedF64 lost = of_product + of_sum, low = sum + lost * shrunk, high = sum + lost * grown;
  const FusedF64 size = (FusedF64)((FusedI64)product & int64_t{0x7fffffffffffffff});
  if (both((low == high) & (size >= min_product) & (size <= max_product))) [[likely]] {
    return low;
  }
  return fused_apart(a, b, c);
}

// Products of f32 are exact in f64, and so extreme as to be inexact there is none.
[[gnu::always_inline]] inline FusedF32 fused(FusedF32 a, FusedF32 b, FusedF32 c) {
  typedef float Half __attribute__((vector_size(8)));
  const auto wide = [](FusedF32 x, int half) {
    Half part;
    __builtin_memcpy(&part, (const char*)&x + half * sizeof(part), sizeof(part));
    return __builtin_convertvector(part, FusedF64);
  };
  Half results[2];
  FusedI64 equal = {-1, -1};
  for (int half = 0; half < 2; ++half) {
    const FusedF64 sum = wide(a, half) * wide(b, half) + wide(c, half);
    results[half] = __builtin_convertvector(sum * shrunk, Half);
    const Half high = __builtin_convertvector(sum * grown, Half);
    equal &= __builtin_convertvector(results[half], FusedF64) == __builtin_convertvector(high, FusedF64);
  }
  if (both(equal)) [[likely]] {
    __builtin_memcpy(&c, results, sizeof(c));
    return c;
  }
  return fused_apart(a, b, c);
}

}  // namespace covec::COVEC_ISA
