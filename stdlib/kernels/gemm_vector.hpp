// A register of numbers for the product kernels: broadcast, load, store, and multiply-add with one rounding (integers:
// modulo 2^n). For inclusion by sources of covec_isa_library() alone.
#pragma once

#include "stdlib/kernels/reduce_vector.hpp"
#ifdef __wasm__
#include "stdlib/simd/fused.hpp"
#endif

namespace covec::COVEC_ISA {

// T is float, double, uint32_t or uint64_t.
template <class T>
struct Register {
  static constexpr int width = register_bytes / sizeof(T);
  using V = Vector<T, width>;
  static V broadcast(T x) { return all_of(x); }
  static V read(const T* from) { return load<V>(from); }
  static void write(T* to, V v) { store(to, v); }

  static T multiply_add(T a, T b, T c) {
    if constexpr (sizeof(T) == 4 && T(0.5) != 0) {
      return __builtin_fmaf(a, b, c);
    } else if constexpr (T(0.5) != 0) {
      return __builtin_fma(a, b, c);
    } else {
      return a * b + c;
    }
  }

  static V multiply_add(V a, V b, V c) {
    if constexpr (T(0.5) == 0) {
      return a * b + c;
    } else {
#if COVEC_ISA_LEVEL == 2
      if constexpr (sizeof(T) == 4)
        return reinterpret_cast<V>(
            _mm512_fmadd_ps(reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b), reinterpret_cast<__m512>(c)));
      else
        return reinterpret_cast<V>(
            _mm512_fmadd_pd(reinterpret_cast<__m512d>(a), reinterpret_cast<__m512d>(b), reinterpret_cast<__m512d>(c)));
#elif COVEC_ISA_LEVEL == 1
      if constexpr (sizeof(T) == 4)
        return reinterpret_cast<V>(
            _mm256_fmadd_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b), reinterpret_cast<__m256>(c)));
      else
        return reinterpret_cast<V>(
            _mm256_fmadd_pd(reinterpret_cast<__m256d>(a), reinterpret_cast<__m256d>(b), reinterpret_cast<__m256d>(c)));
#elif defined(__wasm__)
      return fused(a, b, c);
#else
      for (int i = 0; i < width; ++i)
        c[i] = multiply_add(static_cast<T>(a[i]), static_cast<T>(b[i]), static_cast<T>(c[i]));
      return c;
#endif
    }
  }

  // The first elements only. Made once for a loop, since making a mask costs more than using it.
  struct Mask {
#if COVEC_ISA_LEVEL == 2
    uint32_t bits;
    explicit Mask(int64_t count) : bits(count >= width ? (1u << width) - 1 : (1u << count) - 1) {}
    V read(const T* from) const {
      if constexpr (sizeof(T) == 4)
        return reinterpret_cast<V>(_mm512_maskz_loadu_epi32(static_cast<__mmask16>(bits), from));
      else
        return reinterpret_cast<V>(_mm512_maskz_loadu_epi64(static_cast<__mmask8>(bits), from));
    }
    void write(T* to, V v) const {
      if constexpr (sizeof(T) == 4)
        _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(bits), reinterpret_cast<__m512i>(v));
      else
        _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(bits), reinterpret_cast<__m512i>(v));
    }
#elif COVEC_ISA_LEVEL == 1
    using I = Integer<T>;
    Vector<I, width> lanes;
    explicit Mask(int64_t count) : lanes(iota<I, width>() < all<I, width>(static_cast<I>(count))) {}
    V read(const T* from) const {
      if constexpr (sizeof(T) == 4)
        return reinterpret_cast<V>(
            _mm256_maskload_epi32(reinterpret_cast<const int*>(from), reinterpret_cast<__m256i>(lanes)));
      else
        return reinterpret_cast<V>(
            _mm256_maskload_epi64(reinterpret_cast<const long long*>(from), reinterpret_cast<__m256i>(lanes)));
    }
    void write(T* to, V v) const {
      if constexpr (sizeof(T) == 4)
        _mm256_maskstore_epi32(reinterpret_cast<int*>(to), reinterpret_cast<__m256i>(lanes),
                               reinterpret_cast<__m256i>(v));
      else
        _mm256_maskstore_epi64(reinterpret_cast<long long*>(to), reinterpret_cast<__m256i>(lanes),
                               reinterpret_cast<__m256i>(v));
    }
#else
    int count;
    explicit Mask(int64_t n) : count(n >= width ? width : static_cast<int>(n)) {}
    V read(const T* from) const {
      V v{};
      for (int i = 0; i < count; ++i) v[i] = from[i];
      return v;
    }
    void write(T* to, V v) const {
      for (int i = 0; i < count; ++i) to[i] = v[i];
    }
#endif
  };

 private:
  static V all_of(T x) { return x - V{}; }
};

// Pairs of registers, one source each for all widths; the patterns are chosen so that each is one instruction. Low and
// high halves of every 128-bit part, interleaved; and the even and odd 128-bit parts of two registers.
template <class T>
struct Shuffles {
  // In elements: a register, and the 128-bit parts within which AVX shuffles.
  static constexpr int n = Register<T>::width, part = 16 / sizeof(T), parts = n / part;
  using V = typename Register<T>::V;
  using I = Vector<Integer<T>, n>;

  static V interleave(V a, V b, int half) {
    I pattern;
    for (int i = 0; i < n; ++i) pattern[i] = i / part * part + half * part / 2 + i % part / 2 + (i % 2) * n;
    return shuffle(a, b, pattern);
  }
  static V take_parts(V a, V b, int odd) {
    I pattern;
    for (int i = 0; i < n; ++i) pattern[i] = (2 * (i / part) + odd) * part + i % part;
    return shuffle(a, b, pattern);
  }
};

// The 128-bit parts of a square already stand where the transpose has them; what is left is the transpose of each
// part's square.
template <class T>
inline __attribute__((always_inline)) void transpose_parts(typename Register<T>::V (&rows)[Register<T>::width]) {
  using S = Shuffles<T>;
#pragma GCC unroll 4
  for (int step = 1; step < S::part; step *= 2) {
    typename S::V next[S::n];
#pragma GCC unroll 8
    for (int g = 0; g < S::n; g += S::part) {
#pragma GCC unroll 2
      for (int i = 0; i < S::part / 2; ++i) {
        next[g + 2 * i] = S::interleave(rows[g + i], rows[g + i + S::part / 2], 0);
        next[g + 2 * i + 1] = S::interleave(rows[g + i], rows[g + i + S::part / 2], 1);
      }
    }
#pragma GCC unroll 16
    for (int i = 0; i < S::n; ++i) rows[i] = next[i];
  }
}

// Part q of register g·part + i goes to part g of register q·part + i.
template <class T>
inline __attribute__((always_inline)) void exchange_parts(typename Register<T>::V (&rows)[Register<T>::width]) {
  using S = Shuffles<T>;
#pragma GCC unroll 4
  for (int step = 1; step < S::parts; step *= 2) {
    typename S::V next[S::n];
#pragma GCC unroll 8
    for (int g = 0; g < S::parts / 2; ++g) {
#pragma GCC unroll 4
      for (int j = 0; j < S::part; ++j) {
        next[g * S::part + j] = S::take_parts(rows[2 * g * S::part + j], rows[(2 * g + 1) * S::part + j], 0);
        next[(g + S::parts / 2) * S::part + j] =
            S::take_parts(rows[2 * g * S::part + j], rows[(2 * g + 1) * S::part + j], 1);
      }
    }
#pragma GCC unroll 16
    for (int i = 0; i < S::n; ++i) rows[i] = next[i];
  }
}

// A square of registers, transposed.
template <class T>
inline __attribute__((always_inline)) void transpose(typename Register<T>::V (&rows)[Register<T>::width]) {
  exchange_parts<T>(rows);
  transpose_parts<T>(rows);
}

}  // namespace covec::COVEC_ISA
