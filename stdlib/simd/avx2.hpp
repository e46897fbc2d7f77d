// Register primitives for AVX2 with FMA: eight 32-bit or four 64-bit lanes. Masks are registers of all-ones lanes.
#pragma once

#include <immintrin.h>

#include "stdlib/simd/registers.hpp"

namespace covec::avx2 {

[[gnu::always_inline]] inline Rf32 fma(Rf32 a, Rf32 b, Rf32 c) { return _mm256_fmadd_ps(a, b, c); }
[[gnu::always_inline]] inline Rf64 fma(Rf64 a, Rf64 b, Rf64 c) { return _mm256_fmadd_pd(a, b, c); }
[[gnu::always_inline]] inline Rf32 sqrt(Rf32 a) { return _mm256_sqrt_ps(a); }
[[gnu::always_inline]] inline Rf64 sqrt(Rf64 a) { return _mm256_sqrt_pd(a); }
[[gnu::always_inline]] inline Rf32 round_even(Rf32 a) {
  return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
[[gnu::always_inline]] inline Rf64 round_even(Rf64 a) {
  return _mm256_round_pd(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
[[gnu::always_inline]] inline Rf32 floor(Rf32 a) {
  return _mm256_round_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
[[gnu::always_inline]] inline Rf64 floor(Rf64 a) {
  return _mm256_round_pd(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
[[gnu::always_inline]] inline Rf32 ceil(Rf32 a) {
  return _mm256_round_ps(a, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
}
[[gnu::always_inline]] inline Rf64 ceil(Rf64 a) {
  return _mm256_round_pd(a, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
}
[[gnu::always_inline]] inline Rf32 trunc(Rf32 a) { return _mm256_round_ps(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC); }
[[gnu::always_inline]] inline Rf64 trunc(Rf64 a) { return _mm256_round_pd(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC); }

[[gnu::always_inline]] inline bool any(Ri32 mask) { return _mm256_movemask_epi8((__m256i)mask) != 0; }
[[gnu::always_inline]] inline bool any(Ri64 mask) { return _mm256_movemask_epi8((__m256i)mask) != 0; }

// Bytes 0 and 1 in memory as masks of all bits.
[[gnu::always_inline]] inline Ri32 load_bools(const uint8_t* p) {
  return (Ri32)_mm256_sub_epi32(_mm256_setzero_si256(), _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i*)p)));
}
[[gnu::always_inline]] inline void load_bools(const uint8_t* p, Ri64& low, Ri64& high) {
  const __m128i bytes = _mm_loadl_epi64((const __m128i*)p);
  low = -(Ri64)_mm256_cvtepu8_epi64(bytes);
  high = -(Ri64)_mm256_cvtepu8_epi64(_mm_srli_si128(bytes, 4));
}
[[gnu::always_inline]] inline void store_bools(uint8_t* p, Ri32 mask) {
  const __m128i words =
      _mm_packs_epi32(_mm256_castsi256_si128((__m256i)mask), _mm256_extracti128_si256((__m256i)mask, 1));
  _mm_storel_epi64((__m128i*)p, _mm_and_si128(_mm_packs_epi16(words, words), _mm_set1_epi8(1)));
}
[[gnu::always_inline]] inline void store_bools(uint8_t* p, Ri64 low, Ri64 high) {
  const __m256 packed =
      _mm256_shuffle_ps((__m256)low, (__m256)high, _MM_SHUFFLE(2, 0, 2, 0));  // l0 l1 h0 h1 l2 l3 h2 h3
  store_bools(p, (Ri32)_mm256_permute4x64_epi64((__m256i)packed, _MM_SHUFFLE(3, 1, 2, 0)));
}

}  // namespace covec::avx2
