// Fused multiply-add for machines without an instruction for it, exact to the last bit. What rounding loses of a
// product and of a sum is a number itself (T. Dekker, "A floating-point technique for extending the available
// precision", 1971), so that the exact result lies between two numbers that differ little. Where both round to the
// same, that is the result. The rest, ties and extreme exponents, is left to the C library.
#pragma once

#include "stdlib/simd/registers.hpp"

namespace covec::COVEC_ISA {

// Factors that make a number a little smaller or larger by more than its rounding was: 1 ∓ 2^-52.
inline constexpr double shrunk = 0x1.ffffffffffffep-1, grown = 0x1.0000000000001p0;

// Products within these have errors that are numbers, and no step of the sums overflows.
inline constexpr double least_product = 0x1p-900, most_product = 0x1p1000;

[[gnu::noinline]] inline Rf64 fused_apart(Rf64 a, Rf64 b, Rf64 c) {
  for (int i = 0; i < lanes / 2; ++i)
    c[i] = a[i] == 0 || b[i] == 0 ? a[i] * b[i] + c[i] : __builtin_fma(a[i], b[i], c[i]);
  return c;
}
[[gnu::noinline]] inline Rf32 fused_apart(Rf32 a, Rf32 b, Rf32 c) {
  for (int i = 0; i < lanes; ++i) c[i] = __builtin_fmaf(a[i], b[i], c[i]);
  return c;
}

// Its upper half, of 26 bits.
[[gnu::always_inline]] inline Rf64 upper_half(Rf64 a) {
  constexpr double split = 134217729;  // 2^27 + 1
  const Rf64 scaled = a * split;
  return scaled - (scaled - a);
}

[[gnu::always_inline]] inline bool all(Ri64 mask) { return (mask[0] & mask[1]) != 0; }

// NaN and what overflows on the way make the two results differ.
[[gnu::always_inline]] inline Rf64 fused(Rf64 a, Rf64 b, Rf64 c) {
  const Rf64 product = a * b, a1 = upper_half(a), b1 = upper_half(b), a2 = a - a1, b2 = b - b1;
  const Rf64 of_product = ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2;
  const Rf64 sum = product + c, added = sum - product, of_sum = (product - (sum - added)) + (c - added);
  const Rf64 lost = of_product + of_sum, low = sum + lost * shrunk, high = sum + lost * grown;
  const Rf64 size = (Rf64)((Ri64)product & (Ri64)splat(int64_t{0x7fffffffffffffff}));
  if (all((low == high) & (size >= splat(least_product)) & (size <= splat(most_product)))) [[likely]]
    return low;
  return fused_apart(a, b, c);
}

// Products of f32 are exact in f64, and so extreme as to be inexact there is none.
[[gnu::always_inline]] inline Rf32 fused(Rf32 a, Rf32 b, Rf32 c) {
  typedef float Half __attribute__((vector_size(register_bytes / 2)));
  const auto wide = [](Rf32 x, int half) {
    Half part;
    __builtin_memcpy(&part, (const char*)&x + half * sizeof(part), sizeof(part));
    return __builtin_convertvector(part, Rf64);
  };
  Half results[2];
  Ri64 equal = (Ri64)(a == a);
  for (int half = 0; half < 2; ++half) {
    const Rf64 sum = wide(a, half) * wide(b, half) + wide(c, half);
    results[half] = __builtin_convertvector(sum * shrunk, Half);
    const Half high = __builtin_convertvector(sum * grown, Half);
    equal &= __builtin_convertvector(results[half], Rf64) == __builtin_convertvector(high, Rf64);
  }
  if (all(equal)) [[likely]]
    return load_register<Rf32>((const float*)results);
  return fused_apart(a, b, c);
}

}  // namespace covec::COVEC_ISA
