// Register primitives for AVX-512 (F, DQ, VL, BW): sixteen 32-bit or eight 64-bit lanes. Masks are mask registers.
#pragma once

#include <immintrin.h>

#include "stdlib/simd/registers.hpp"

namespace covec::avx512 {

[[gnu::always_inline]] inline Rf32 fma(Rf32 a, Rf32 b, Rf32 c) { return _mm512_fmadd_ps(a, b, c); }
[[gnu::always_inline]] inline Rf64 fma(Rf64 a, Rf64 b, Rf64 c) { return _mm512_fmadd_pd(a, b, c); }
[[gnu::always_inline]] inline Rf32 sqrt(Rf32 a) { return _mm512_sqrt_ps(a); }
[[gnu::always_inline]] inline Rf64 sqrt(Rf64 a) { return _mm512_sqrt_pd(a); }
[[gnu::always_inline]] inline Rf32 round_even(Rf32 a) {
  return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
[[gnu::always_inline]] inline Rf64 round_even(Rf64 a) {
  return _mm512_roundscale_pd(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
[[gnu::always_inline]] inline Rf32 floor(Rf32 a) {
  return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
[[gnu::always_inline]] inline Rf64 floor(Rf64 a) {
  return _mm512_roundscale_pd(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
[[gnu::always_inline]] inline Rf32 ceil(Rf32 a) {
  return _mm512_roundscale_ps(a, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
}
[[gnu::always_inline]] inline Rf64 ceil(Rf64 a) {
  return _mm512_roundscale_pd(a, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
}
[[gnu::always_inline]] inline Rf32 trunc(Rf32 a) {
  return _mm512_roundscale_ps(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}
[[gnu::always_inline]] inline Rf64 trunc(Rf64 a) {
  return _mm512_roundscale_pd(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

template <int predicate>
[[gnu::always_inline]] inline __mmask16 compare(Rf32 a, Rf32 b) {
  return _mm512_cmp_ps_mask(a, b, predicate);
}
template <int predicate>
[[gnu::always_inline]] inline __mmask8 compare(Rf64 a, Rf64 b) {
  return _mm512_cmp_pd_mask(a, b, predicate);
}
[[gnu::always_inline]] inline __mmask16 less(Rf32 a, Rf32 b) { return compare<_CMP_LT_OQ>(a, b); }
[[gnu::always_inline]] inline __mmask8 less(Rf64 a, Rf64 b) { return compare<_CMP_LT_OQ>(a, b); }
[[gnu::always_inline]] inline __mmask16 less(Ri32 a, Ri32 b) { return _mm512_cmplt_epi32_mask((__m512i)a, (__m512i)b); }
[[gnu::always_inline]] inline __mmask8 less(Ri64 a, Ri64 b) { return _mm512_cmplt_epi64_mask((__m512i)a, (__m512i)b); }
[[gnu::always_inline]] inline __mmask16 less_equal(Rf32 a, Rf32 b) { return compare<_CMP_LE_OQ>(a, b); }
[[gnu::always_inline]] inline __mmask8 less_equal(Rf64 a, Rf64 b) { return compare<_CMP_LE_OQ>(a, b); }
[[gnu::always_inline]] inline __mmask16 less_equal(Ri32 a, Ri32 b) {
  return _mm512_cmple_epi32_mask((__m512i)a, (__m512i)b);
}
[[gnu::always_inline]] inline __mmask8 less_equal(Ri64 a, Ri64 b) {
  return _mm512_cmple_epi64_mask((__m512i)a, (__m512i)b);
}
[[gnu::always_inline]] inline __mmask16 equal(Rf32 a, Rf32 b) { return compare<_CMP_EQ_OQ>(a, b); }
[[gnu::always_inline]] inline __mmask8 equal(Rf64 a, Rf64 b) { return compare<_CMP_EQ_OQ>(a, b); }
[[gnu::always_inline]] inline __mmask16 equal(Ri32 a, Ri32 b) {
  return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b);
}
[[gnu::always_inline]] inline __mmask8 equal(Ri64 a, Ri64 b) { return _mm512_cmpeq_epi64_mask((__m512i)a, (__m512i)b); }

[[gnu::always_inline]] inline Rf32 select(__mmask16 m, Rf32 a, Rf32 b) { return _mm512_mask_blend_ps(m, b, a); }
[[gnu::always_inline]] inline Rf64 select(__mmask8 m, Rf64 a, Rf64 b) { return _mm512_mask_blend_pd(m, b, a); }
[[gnu::always_inline]] inline Ri32 select(__mmask16 m, Ri32 a, Ri32 b) {
  return (Ri32)_mm512_mask_blend_epi32(m, (__m512i)b, (__m512i)a);
}
[[gnu::always_inline]] inline Ri64 select(__mmask8 m, Ri64 a, Ri64 b) {
  return (Ri64)_mm512_mask_blend_epi64(m, (__m512i)b, (__m512i)a);
}

[[gnu::always_inline]] inline bool any(__mmask16 mask) { return mask != 0; }
[[gnu::always_inline]] inline bool any(__mmask8 mask) { return mask != 0; }

// Bytes 0 and 1 in memory as mask registers.
[[gnu::always_inline]] inline __mmask16 load_bools(const uint8_t* p) {
  const __m128i bytes = _mm_loadu_si128((const __m128i*)p);
  return _mm_test_epi8_mask(bytes, bytes);
}
[[gnu::always_inline]] inline void load_bools(const uint8_t* p, __mmask8& low, __mmask8& high) {
  const __mmask16 both = load_bools(p);
  low = (__mmask8)both;
  high = (__mmask8)(both >> 8);
}
[[gnu::always_inline]] inline void store_bools(uint8_t* p, __mmask16 mask) {
  _mm_storeu_si128((__m128i*)p, _mm_maskz_set1_epi8(mask, 1));
}
[[gnu::always_inline]] inline void store_bools(uint8_t* p, __mmask8 low, __mmask8 high) {
  store_bools(p, (__mmask16)(low | (high << 8)));
}

}  // namespace covec::avx512
