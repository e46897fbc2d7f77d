// Vectors for the reduction kernels, on the compiler's vector extension: one source for every instruction set, whose
// registers differ in width only. For inclusion by sources of covec_isa_library() alone. Start at Lanes of
// reduce_body.hpp.
#pragma once

#if COVEC_ISA_LEVEL > 0
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstdint>

namespace covec::COVEC_ISA {

// Of AVX-512, AVX2, and any machine: SSE2, NEON, WebAssembly's vectors.
inline constexpr int register_bytes = COVEC_ISA_LEVEL == 2 ? 64 : COVEC_ISA_LEVEL == 1 ? 32 : 16;

template <class T, int N>
struct VectorOf {
  typedef T type __attribute__((vector_size(N * sizeof(T))));
};
template <class T, int N>
using Vector = typename VectorOf<T, N>::type;

// The elements of `a` and behind them those of `b`, picked by `pattern`. One instruction where its numbers are known.
template <class V, class I>
inline __attribute__((always_inline)) V shuffle(V a, V b, I pattern) {
#if defined(__clang__)  // which shuffles by constants alone
  constexpr int n = sizeof(V) / sizeof(a[0]);
  V v{};
  for (int i = 0; i < n; ++i) v[i] = pattern[i] < n ? a[pattern[i]] : b[pattern[i] - n];
  return v;
#else
  return __builtin_shuffle(a, b, pattern);
#endif
}

// The signed integer of the same size.
template <size_t Bytes>
struct IntegerOf;
template <>
struct IntegerOf<1> {
  using type = int8_t;
};
template <>
struct IntegerOf<4> {
  using type = int32_t;
};
template <>
struct IntegerOf<8> {
  using type = int64_t;
};
template <class T>
using Integer = typename IntegerOf<sizeof(T)>::type;

template <class V, class T>
inline V load(const T* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof(V));
  return v;
}
template <class V, class T>
inline void store(T* to, V v) {
  __builtin_memcpy(to, &v, sizeof(V));
}

template <class T, int N>
inline Vector<T, N> all(T value) {
  return value - Vector<T, N>{};
}

// 0, 1, … N-1
template <class T, int N>
inline Vector<T, N> iota() {
  Vector<T, N> v;
  for (int i = 0; i < N; ++i) v[i] = static_cast<T>(i);
  return v;
}

// The first `count` < N elements; the others are zero and their memory is not touched.
template <class V, class T>
inline V load_some(const T* from, int count) {
#if COVEC_ISA_LEVEL == 2
  [[maybe_unused]] const uint64_t mask = (uint64_t{1} << count) - 1;
  if constexpr (sizeof(V) == 64 && sizeof(T) == 4)
    return reinterpret_cast<V>(_mm512_maskz_loadu_epi32(static_cast<__mmask16>(mask), from));
  if constexpr (sizeof(V) == 64 && sizeof(T) == 8)
    return reinterpret_cast<V>(_mm512_maskz_loadu_epi64(static_cast<__mmask8>(mask), from));
  if constexpr (sizeof(V) == 32 && sizeof(T) == 4)
    return reinterpret_cast<V>(_mm256_maskz_loadu_epi32(static_cast<__mmask8>(mask), from));
  if constexpr (sizeof(V) == 32 && sizeof(T) == 8)
    return reinterpret_cast<V>(_mm256_maskz_loadu_epi64(static_cast<__mmask8>(mask), from));
  if constexpr (sizeof(V) == 32 && sizeof(T) == 1)
    return reinterpret_cast<V>(_mm256_maskz_loadu_epi8(static_cast<__mmask32>(mask), from));
#elif COVEC_ISA_LEVEL == 1
  if constexpr (sizeof(V) == 32 && sizeof(T) >= 4) {
    using I = Integer<T>;
    const Vector<I, sizeof(V) / sizeof(T)> inside =
        iota<I, sizeof(V) / sizeof(T)>() < all<I, sizeof(V) / sizeof(T)>(static_cast<I>(count));
    if constexpr (sizeof(T) == 4)
      return reinterpret_cast<V>(
          _mm256_maskload_epi32(reinterpret_cast<const int*>(from), reinterpret_cast<__m256i>(inside)));
    else
      return reinterpret_cast<V>(
          _mm256_maskload_epi64(reinterpret_cast<const long long*>(from), reinterpret_cast<__m256i>(inside)));
  }
#endif
  V v{};
  __builtin_memcpy(&v, from, static_cast<size_t>(count) * sizeof(T));
  return v;
}

}  // namespace covec::COVEC_ISA
