// Integers of 8 and 16 bits, and u32, in memory: a vector of theirs is one of what they are computed with (i32, or i64
// for u32), widened where it is loaded; what is stored are the lower bits. This header is compiled once an instruction
// set and shares no code.
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

template <class E>
requires(is_narrow_integer<E>) [[gnu::always_inline]] inline Vec<Wide<E>> load_wide(const E* p) {
  if constexpr (sizeof(E) == 4) {
    return convert<int64_t>(load(reinterpret_cast<const int32_t*>(p))) & Vec<int64_t>(0xffffffff);
  } else {
    typename NarrowLanes<E>::type v;
    __builtin_memcpy(&v, p, sizeof v);
    return Vec<int32_t>(__builtin_convertvector(v, Ri32));
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
    const auto lower = __builtin_convertvector(v.part[0], typename NarrowLanes<E>::type);
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
