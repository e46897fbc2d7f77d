// Integers of 8 and 16 bits, and u32, in memory. A vector of them is a vector of their computing type (i32, or i64 for
// u32), widened when it is loaded. A store keeps the lower bits. This header is compiled once per instruction set and
// shares no code.
#pragma once

#include "stdlib/simd/convert.hpp"
#include "stdlib/simd/memory.hpp"

namespace covec::COVEC_ISA {

template <class... E>
struct Types {
  static constexpr int count = sizeof...(E);
  template <class T>
  static constexpr bool has = (__is_same(T, E) || ...);
};
using NarrowIntegers = Types<int8_t, uint8_t, uint16_t, uint32_t, int16_t>;  // by the numbers of Dtype, from 7

template <class E>
inline constexpr bool is_narrow_integer = NarrowIntegers::has<E>;

// What an element is computed with.
template <class E>
struct WideOf {
  using type = int32_t;
};
template <>
struct WideOf<uint32_t> {
  using type = int64_t;
};
template <class E>
using Wide = typename WideOf<E>::type;

template <class E>
struct NarrowLanes {
  typedef E type __attribute__((vector_size(sizeof(E) * lanes)));
};

// Of 8 and 16 bits, as i32, and back.
template <class E>
[[gnu::always_inline]] inline Vec<int32_t> widened(typename NarrowLanes<E>::type v) {
  [[maybe_unused]] constexpr bool is_signed = E(-1) < E(0);
#if COVEC_ISA_LEVEL == 2
  if constexpr (sizeof(E) == 1)
    return Vec<int32_t>((Ri32)(is_signed ? _mm512_cvtepi8_epi32((__m128i)v) : _mm512_cvtepu8_epi32((__m128i)v)));
  else
    return Vec<int32_t>((Ri32)(is_signed ? _mm512_cvtepi16_epi32((__m256i)v) : _mm512_cvtepu16_epi32((__m256i)v)));
#elif COVEC_ISA_LEVEL == 1
  __m128i x = _mm_setzero_si128();
  __builtin_memcpy(&x, &v, sizeof v);
  if constexpr (sizeof(E) == 1)
    return Vec<int32_t>((Ri32)(is_signed ? _mm256_cvtepi8_epi32(x) : _mm256_cvtepu8_epi32(x)));
  else
    return Vec<int32_t>((Ri32)(is_signed ? _mm256_cvtepi16_epi32(x) : _mm256_cvtepu16_epi32(x)));
#else
  return Vec<int32_t>(__builtin_convertvector(v, Ri32));
#endif
}
template <class E>
[[gnu::always_inline]] inline typename NarrowLanes<E>::type lower_bits(Vec<int32_t> v) {
  typename NarrowLanes<E>::type lower;
#if COVEC_ISA_LEVEL == 2
  const __m512i x = (__m512i)v.part[0];
  if constexpr (sizeof(E) == 1)
    lower = (typename NarrowLanes<E>::type)_mm512_cvtepi32_epi8(x);
  else
    lower = (typename NarrowLanes<E>::type)_mm512_cvtepi32_epi16(x);
#elif COVEC_ISA_LEVEL == 1
  const __m256i x = _mm256_and_si256((__m256i)v.part[0], _mm256_set1_epi32(sizeof(E) == 1 ? 0xff : 0xffff));
  __m128i words = _mm_packus_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
  if constexpr (sizeof(E) == 1) words = _mm_packus_epi16(words, words);
  __builtin_memcpy(&lower, &words, sizeof lower);
#else
  lower = __builtin_convertvector(v.part[0], typename NarrowLanes<E>::type);
#endif
  return lower;
}

template <class E>
requires(is_narrow_integer<E>) [[gnu::always_inline]] inline Vec<Wide<E>> load_wide(const E* p) {
  if constexpr (sizeof(E) == 4) {
    return convert<int64_t>(load(reinterpret_cast<const int32_t*>(p))) & Vec<int64_t>(0xffffffff);
  } else {
    typename NarrowLanes<E>::type v;
    __builtin_memcpy(&v, p, sizeof v);
    return widened<E>(v);
  }
}
template <class E>
requires(is_narrow_integer<E>) [[gnu::always_inline]] inline Vec<Wide<E>> load_wide_first(const E* p, int64_t count) {
  E buffer[lanes] = {};
  for (int64_t i = 0; i < count; ++i) buffer[i] = p[i];
  return load_wide(buffer);
}
template <class E>
requires(is_narrow_integer<E>) [[gnu::always_inline]] inline void store(E* p, Vec<Wide<E>> v) {
  if constexpr (sizeof(E) == 4) {
    store(reinterpret_cast<int32_t*>(p), convert<int32_t>(v));
  } else {
    const auto lower = lower_bits<E>(v);
    __builtin_memcpy(p, &lower, sizeof lower);
  }
}
template <class E>
requires(is_narrow_integer<E>) [[gnu::always_inline]] inline void store_first(E* p, Vec<Wide<E>> v, int64_t count) {
  E buffer[lanes];
  store(buffer, v);
  for (int64_t i = 0; i < count; ++i) p[i] = buffer[i];
}

}  // namespace covec::COVEC_ISA
