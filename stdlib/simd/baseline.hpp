// Register primitives for any machine: four 32-bit or two 64-bit lanes, by the compiler's vectors alone. Fused
// multiply-add is the C library's, exact and slow, but for wasm, which has no other kernels (fused.hpp); rounding to
// integers goes through adding 2^52 (or 2^23). The trade-off: this path is for correctness on old machines, and on
// those that have no kernels of their own.
#pragma once

#ifdef __wasm__
#include "stdlib/simd/fused.hpp"
#endif
#include "stdlib/simd/registers.hpp"

namespace covec::baseline {

#ifdef __wasm__
static inline Rf32 fma(Rf32 a, Rf32 b, Rf32 c) { return fused(a, b, c); }
static inline Rf64 fma(Rf64 a, Rf64 b, Rf64 c) { return fused(a, b, c); }
#else
static inline Rf32 fma(Rf32 a, Rf32 b, Rf32 c) {
  Rf32 r;
  for (int i = 0; i < 4; ++i) r[i] = __builtin_fmaf(a[i], b[i], c[i]);
  return r;
}
static inline Rf64 fma(Rf64 a, Rf64 b, Rf64 c) {
  Rf64 r;
  for (int i = 0; i < 2; ++i) r[i] = __builtin_fma(a[i], b[i], c[i]);
  return r;
}
#endif
[[gnu::always_inline]] inline Rf32 sqrt(Rf32 a) {
  for (int i = 0; i < 4; ++i) a[i] = __builtin_sqrtf(a[i]);  // one instruction on x86
  return a;
}
[[gnu::always_inline]] inline Rf64 sqrt(Rf64 a) {
  for (int i = 0; i < 2; ++i) a[i] = __builtin_sqrt(a[i]);
  return a;
}

// To the nearest integer, ties to even: numbers from 2^23 (2^52) on are integers, below them adding and subtracting
// that constant rounds. The sign is kept, so that −0.3 gives −0.
[[gnu::always_inline]] inline Rf32 round_even(Rf32 a) {
  const Ri32 sign = (Ri32)a & (Ri32)splat(-0.0f);
  const Rf32 large = (Rf32)((Ri32)splat(8388608.0f) | sign);
  const Rf32 rounded = (Rf32)((Ri32)((a + large) - large) | sign);
  return (Rf32)((Ri32)a & (Ri32)splat(0x7fffffff)) < splat(8388608.0f) ? rounded : a;
}
[[gnu::always_inline]] inline Rf64 round_even(Rf64 a) {
  const Ri64 sign = (Ri64)a & (Ri64)splat(-0.0);
  const Rf64 large = (Rf64)((Ri64)splat(4503599627370496.0) | sign);
  const Rf64 rounded = (Rf64)((Ri64)((a + large) - large) | sign);
  return (Rf64)((Ri64)a & (Ri64)splat(int64_t{0x7fffffffffffffff})) < splat(4503599627370496.0) ? rounded : a;
}
template <class R>
[[gnu::always_inline]] inline R keep_sign(R magnitude, R of);
template <>
[[gnu::always_inline]] inline Rf32 keep_sign(Rf32 magnitude, Rf32 of) {
  return (Rf32)(((Ri32)magnitude & 0x7fffffff) | ((Ri32)of & (Ri32)splat(-0.0f)));
}
template <>
[[gnu::always_inline]] inline Rf64 keep_sign(Rf64 magnitude, Rf64 of) {
  return (Rf64)(((Ri64)magnitude & int64_t{0x7fffffffffffffff}) | ((Ri64)of & (Ri64)splat(-0.0)));
}
template <class R>
[[gnu::always_inline]] inline R round_down(R a) {
  const R nearest = round_even(a);
  return nearest > a ? nearest - 1 : nearest;
}
template <class R>
[[gnu::always_inline]] inline R round_up(R a) {
  const R nearest = round_even(a);
  return nearest < a ? keep_sign<R>(nearest + 1, a) : nearest;
}
template <class R>
[[gnu::always_inline]] inline R toward_zero(R a) {
  const R magnitude = keep_sign<R>(a, R{});
  return keep_sign<R>(round_down(magnitude), a);
}
[[gnu::always_inline]] inline Rf32 floor(Rf32 a) { return round_down(a); }
[[gnu::always_inline]] inline Rf64 floor(Rf64 a) { return round_down(a); }
[[gnu::always_inline]] inline Rf32 ceil(Rf32 a) { return round_up(a); }
[[gnu::always_inline]] inline Rf64 ceil(Rf64 a) { return round_up(a); }
[[gnu::always_inline]] inline Rf32 trunc(Rf32 a) { return toward_zero(a); }
[[gnu::always_inline]] inline Rf64 trunc(Rf64 a) { return toward_zero(a); }

[[gnu::always_inline]] inline bool any(Ri64 mask) { return (mask[0] | mask[1]) != 0; }
[[gnu::always_inline]] inline bool any(Ri32 mask) { return any((Ri64)mask); }

// Bytes 0 and 1 in memory as masks of all bits.
[[gnu::always_inline]] inline Ri32 load_bools(const uint8_t* p) { return Ri32{-p[0], -p[1], -p[2], -p[3]}; }
[[gnu::always_inline]] inline void load_bools(const uint8_t* p, Ri64& low, Ri64& high) {
  low = Ri64{-int64_t{p[0]}, -int64_t{p[1]}};
  high = Ri64{-int64_t{p[2]}, -int64_t{p[3]}};
}
[[gnu::always_inline]] inline void store_bools(uint8_t* p, Ri32 mask) {
  for (int i = 0; i < 4; ++i) p[i] = static_cast<uint8_t>(mask[i] & 1);
}
[[gnu::always_inline]] inline void store_bools(uint8_t* p, Ri64 low, Ri64 high) {
  for (int i = 0; i < 2; ++i) p[i] = static_cast<uint8_t>(low[i] & 1), p[i + 2] = static_cast<uint8_t>(high[i] & 1);
}

}  // namespace covec::baseline
