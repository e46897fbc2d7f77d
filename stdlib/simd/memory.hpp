// Loads and stores of vectors: whole, or the first `count` lanes (a tail). Bools are bytes 0 and 1 in memory and masks
// in registers, so Lane says for each element type which vector a body gets.
#pragma once

#include "stdlib/simd/vec.hpp"

namespace covec::COVEC_ISA {

template <class E>
[[gnu::always_inline]] inline Vec<E> load(const E* p) {
  constexpr int step = lanes / Vec<E>::parts;
  if constexpr (Vec<E>::parts == 1)
    return Vec<E>(load_register<Register<E>>(p));
  else
    return Vec<E>(load_register<Register<E>>(p), load_register<Register<E>>(p + step));
}
template <class E>
[[gnu::always_inline]] inline void store(E* p, Vec<E> v) {
  store_register(p, v.part[0]);
  if constexpr (Vec<E>::parts == 2) store_register(p + lanes / 2, v.part[1]);
}

// Masks of `bytes`-wide elements from and to bools.
template <int bytes>
[[gnu::always_inline]] inline Mask<bytes> load_mask(const uint8_t* p) {
  Mask<bytes> m;
  if constexpr (bytes == 4)
    m.part[0] = load_bools(p);
  else
    load_bools(p, m.part[0], m.part[1]);
  return m;
}
template <int bytes>
[[gnu::always_inline]] inline void store(uint8_t* p, Mask<bytes> m) {
  if constexpr (bytes == 4)
    store_bools(p, m.part[0]);
  else
    store_bools(p, m.part[0], m.part[1]);
}

// The first `count` < lanes elements, zeros behind them; and stores of as many.
#if COVEC_ISA_LEVEL == 2
[[gnu::always_inline]] inline __mmask16 first_lanes(int64_t count) { return (__mmask16)((1u << count) - 1); }
template <class E>
[[gnu::always_inline]] inline Vec<E> load_first(const E* p, int64_t count) {
  const __mmask16 m = first_lanes(count);
  if constexpr (sizeof(E) == 4) {
    return Vec<E>((Register<E>)_mm512_maskz_loadu_epi32(m, p));
  } else {
    return Vec<E>((Register<E>)_mm512_maskz_loadu_epi64((__mmask8)m, p),
                  (Register<E>)_mm512_maskz_loadu_epi64((__mmask8)(m >> 8), p + 8));
  }
}
template <class E>
[[gnu::always_inline]] inline void store_first(E* p, Vec<E> v, int64_t count) {
  const __mmask16 m = first_lanes(count);
  if constexpr (sizeof(E) == 4) {
    _mm512_mask_storeu_epi32(p, m, (__m512i)v.part[0]);
  } else {
    _mm512_mask_storeu_epi64(p, (__mmask8)m, (__m512i)v.part[0]);
    _mm512_mask_storeu_epi64(p + 8, (__mmask8)(m >> 8), (__m512i)v.part[1]);
  }
}
#else
// Element by element through memory: a few lanes at the end of a row do not repay masks.
template <class E>
[[gnu::always_inline]] inline Vec<E> load_first(const E* p, int64_t count) {
  alignas(32) E buffer[lanes] = {};
  for (int64_t i = 0; i < count; ++i) buffer[i] = p[i];
  return load(buffer);
}
template <class E>
[[gnu::always_inline]] inline void store_first(E* p, Vec<E> v, int64_t count) {
  alignas(32) E buffer[lanes];
  store(buffer, v);
  for (int64_t i = 0; i < count; ++i) p[i] = buffer[i];
}
#endif

template <int bytes>
[[gnu::always_inline]] inline Mask<bytes> load_mask_first(const uint8_t* p, int64_t count) {
  uint8_t buffer[lanes < 8 ? 8 : lanes] = {};
  for (int64_t i = 0; i < count; ++i) buffer[i] = p[i];
  return load_mask<bytes>(buffer);
}
template <int bytes>
[[gnu::always_inline]] inline void store_first(uint8_t* p, Mask<bytes> m, int64_t count) {
  uint8_t buffer[lanes < 8 ? 8 : lanes];
  store(buffer, m);
  for (int64_t i = 0; i < count; ++i) p[i] = buffer[i];
}

}  // namespace covec::COVEC_ISA
