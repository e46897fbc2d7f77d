// Converts between element types. It also has the operations that no instruction set has for vectors, lane by lane:
// integer division and powers, the exact float remainder. The result for one element here defines the meaning.
#pragma once

#include "stdlib/simd/vec.hpp"

namespace covec::COVEC_ISA {

// Applies f to the elements of vectors one by one.
template <class R, class F, class... E>
[[gnu::always_inline]] inline Vec<R> each_lane(F f, const Vec<E>&... v) {
  Vec<R> result;
  R out[lanes];
  for (int i = 0; i < lanes; ++i) out[i] = f(reinterpret_cast<const E*>(&v)[i]...);
  __builtin_memcpy(&result, out, sizeof(result));
  return result;
}

// Float to integer: toward zero, saturating, NaN to 0.
template <class To, class From>
[[gnu::always_inline]] inline To saturate(From x) {
  constexpr From limit = sizeof(To) == 4 ? From(2147483648.0) : From(9223372036854775808.0);
  constexpr To largest = sizeof(To) == 4 ? To(0x7fffffff) : To(0x7fffffffffffffff);
  if (x != x) return 0;
  return x >= limit ? largest : x < -limit ? To(-largest - 1) : static_cast<To>(x);
}

template <class To, class From>
[[gnu::always_inline]] inline Vec<To> convert_lanes(Vec<From> v) {
  if constexpr (Vec<From>::is_float && !Vec<To>::is_float) {
    return each_lane<To>([](From x) { return saturate<To>(x); }, v);
  } else {
    return each_lane<To>([](From x) { return static_cast<To>(x); }, v);
  }
}

#if COVEC_ISA_LEVEL == 2
[[gnu::always_inline]] inline __m256i low_half(Ri32 v) { return _mm512_castsi512_si256((__m512i)v); }
[[gnu::always_inline]] inline __m256i high_half(Ri32 v) { return _mm512_extracti64x4_epi64((__m512i)v, 1); }
[[gnu::always_inline]] inline __m512i join(__m256i low, __m256i high) {
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}
[[gnu::always_inline]] inline Vec<double> widen(Vec<float> v) {
  const Ri32 x = (Ri32)v.part[0];
  return {_mm512_cvtps_pd((__m256)low_half(x)), _mm512_cvtps_pd((__m256)high_half(x))};
}
[[gnu::always_inline]] inline Vec<float> narrow(Vec<double> v) {
  return Vec<float>((Rf32)join((__m256i)_mm512_cvtpd_ps(v.part[0]), (__m256i)_mm512_cvtpd_ps(v.part[1])));
}
[[gnu::always_inline]] inline Vec<double> widen(Vec<int32_t> v) {
  return {_mm512_cvtepi32_pd(low_half(v.part[0])), _mm512_cvtepi32_pd(high_half(v.part[0]))};
}
// The hardware gives the smallest integer for everything outside.
[[gnu::always_inline]] inline Vec<int32_t> to_i32(Vec<float> v) {
  const __m512 x = v.part[0];
  const __m512i inside = _mm512_maskz_cvttps_epi32(_mm512_cmp_ps_mask(x, x, _CMP_ORD_Q), x);
  const __mmask16 above = _mm512_cmp_ps_mask(x, _mm512_set1_ps(2147483648.0f), _CMP_GE_OQ);
  return Vec<int32_t>((Ri32)_mm512_mask_set1_epi32(inside, above, 0x7fffffff));
}
#elif COVEC_ISA_LEVEL == 1
[[gnu::always_inline]] inline Vec<double> widen(Vec<float> v) {
  return {_mm256_cvtps_pd(_mm256_castps256_ps128(v.part[0])), _mm256_cvtps_pd(_mm256_extractf128_ps(v.part[0], 1))};
}
[[gnu::always_inline]] inline Vec<float> narrow(Vec<double> v) {
  return Vec<float>((Rf32)_mm256_set_m128(_mm256_cvtpd_ps(v.part[1]), _mm256_cvtpd_ps(v.part[0])));
}
[[gnu::always_inline]] inline Vec<double> widen(Vec<int32_t> v) {
  const __m256i x = (__m256i)v.part[0];
  return {_mm256_cvtepi32_pd(_mm256_castsi256_si128(x)), _mm256_cvtepi32_pd(_mm256_extracti128_si256(x, 1))};
}
#else
[[gnu::always_inline]] inline Vec<double> widen(Vec<float> v) { return convert_lanes<double>(v); }
[[gnu::always_inline]] inline Vec<float> narrow(Vec<double> v) { return convert_lanes<float>(v); }
[[gnu::always_inline]] inline Vec<double> widen(Vec<int32_t> v) { return convert_lanes<double>(v); }
#endif

template <class To, class From>
[[gnu::always_inline]] inline Vec<To> convert(Vec<From> v) {
  constexpr bool same = sizeof(To) == sizeof(From) && Vec<To>::is_float == Vec<From>::is_float;
  if constexpr (same)
    return v;
  else if constexpr (Vec<To>::is_float && sizeof(To) == 8 && sizeof(From) == 4)
    return widen(v);
  else if constexpr (Vec<To>::is_float && Vec<From>::is_float)
    return narrow(v);
#if COVEC_ISA_LEVEL == 2
  else if constexpr (Vec<From>::is_float && sizeof(From) == 4 && sizeof(To) == 4)
    return to_i32(v);
#endif
  else
    return convert_lanes<To>(v);
}

// Quotient and remainder toward minus infinity. By 0: 0 (who calls reports it); the smallest by −1 wraps.
template <class E>
[[gnu::always_inline]] inline Vec<E> floor_divide(Vec<E> a, Vec<E> b) {
  return each_lane<E>(
      [](E x, E y) -> E {
        if (y == 0) return 0;
        if (y == -1) return static_cast<E>(0 - static_cast<uint64_t>(x));
        return x / y - (x % y != 0 && (x < 0) != (y < 0));
      },
      a, b);
}
template <class E>
[[gnu::always_inline]] inline Vec<E> floor_modulo(Vec<E> a, Vec<E> b) {
  return each_lane<E>(
      [](E x, E y) -> E {
        if (y == 0 || y == -1) return 0;
        const E remainder = x % y;
        return remainder != 0 && (remainder < 0) != (y < 0) ? remainder + y : remainder;
      },
      a, b);
}
// Wrapping power; a negative exponent gives 0 (who calls reports it).
template <class E>
[[gnu::always_inline]] inline Vec<E> integer_power(Vec<E> a, Vec<E> b) {
  return each_lane<E>(
      [](E x, E y) -> E {
        if (y < 0) return 0;
        uint64_t base = static_cast<uint64_t>(x), result = 1;
        for (uint64_t n = static_cast<uint64_t>(y); n != 0; n >>= 1) {
          if (n & 1) result *= base;
          base *= base;
        }
        return static_cast<E>(result);
      },
      a, b);
}
// The greatest common divisor, by subtraction of odd numbers (J. Stein, "Computational problems associated with Racah
// algebra", 1967). Of 0 and 0 it is 0; where it is 2^31 or 2^63, the magnitude of the smallest number, it wraps to
// that.
template <class E>
[[gnu::always_inline]] inline Vec<E> common_divisor(Vec<E> a, Vec<E> b) {
  return each_lane<E>(
      [](E x, E y) -> E {
        uint64_t u = x < 0 ? 0 - static_cast<uint64_t>(x) : static_cast<uint64_t>(x);
        uint64_t v = y < 0 ? 0 - static_cast<uint64_t>(y) : static_cast<uint64_t>(y);
        if (u == 0 || v == 0) return static_cast<E>(u | v);
        const int twos = __builtin_ctzll(u | v);
        u >>= __builtin_ctzll(u);
        do {
          v >>= __builtin_ctzll(v);
          const uint64_t less = u < v ? u : v;
          v = u < v ? v - u : u - v;
          u = less;
        } while (v != 0);
        return static_cast<E>(u << twos);
      },
      a, b);
}
// x − y·n with n the quotient toward zero, exactly: the C library's is the same everywhere.
template <class E>
[[gnu::always_inline]] inline Vec<E> remainder(Vec<E> a, Vec<E> b) {
  return each_lane<E>(
      [](E x, E y) -> E {
        if constexpr (sizeof(E) == 4)
          return __builtin_fmodf(x, y);
        else
          return __builtin_fmod(x, y);
      },
      a, b);
}

}  // namespace covec::COVEC_ISA
