// exp and log, shared by the functions built on them. Polynomials: polynomials.py. Reductions are explicit fused
// operations with split constants, so that no digit depends on a compiler. Start at exponential() and logarithm().
#pragma once

#include "stdlib/ops/elementwise/bodies/bits.hpp"

namespace covec::ops {

template <class T>
struct ExponentialParts {
  T mantissa;  // in [0.7, 1.42): 7/8 + rest
  T shifted;   // e^x = mantissa · 2^small_integer(shifted)
  T rest;
  T r;
};

// (e^r − 1 − r)/r² on |r| ≤ ln 2/2.
template <class T>
[[gnu::always_inline]] inline T exponential_tail(T r) {
  if constexpr (is_single<T>) {
    return polynomial(r, 0x1p-1, 0x1.555556p-3, 0x1.55547p-5, 0x1.1110acp-7, 0x1.6da758p-10, 0x1.a17df4p-13);
  } else {
    return polynomial(r, 0x1.0000000000009p-1, 0x1.5555555555558p-3, 0x1.55555555503f4p-5, 0x1.111111110f80ap-7,
                      0x1.6c16c185fddccp-10, 0x1.a01a01b00936ep-13, 0x1.a01993bee6f03p-16, 0x1.71ddf6bc20b09p-19,
                      0x1.28b40616e968ep-22, 0x1.af631ba2c643cp-26);
  }
}

// 1 + r + rest for |r| < 1, rounded nearly once: what 1 + r loses is kept.
template <class T>
[[gnu::always_inline]] inline T one_plus(T r, T rest) {
  const T sum = T(1) + r;
  return sum + (((T(1) - sum) + r) + rest);
}

template <class T>
struct Ln2 {
  using E = typename T::Element;
  static constexpr E inverse = static_cast<E>(0x1.71547652b82fep+0);
  static constexpr E high =
      is_single<T> ? 0x1.62e43p-1 : 0x1.62e42fefa39efp-1;  // all the bits of a float: x − n·high is exact, fused
  static constexpr E low = is_single<T> ? -0x1.05c61p-29 : 0x1.abc9e3b39803fp-56;
};

// Of finite x with |x| < 2^20; anything else gives something.
template <class T>
[[gnu::always_inline]] inline ExponentialParts<T> exponential_parts(T x) {
  const T shifted = fma(x, T(Ln2<T>::inverse), T(Layout<T>::magic));
  const T n = shifted - T(Layout<T>::magic);
  const T r = fma(n, T(-Ln2<T>::low), fma(n, T(-Ln2<T>::high), x));
  // 1 is 7/8 + 1/8: then the last sum alone is rounded as coarsely as the result.
  const T rest = fma(r * r, exponential_tail(r), r + T(0.125));
  return {T(0.875) + rest, shifted, rest, r};
}

// What the mantissa of e^x lacks, roughly: the roundings of r, of r + 1/8 and of the last sum.
template <class T>
[[gnu::always_inline]] inline T exponential_lost(T x, const ExponentialParts<T>& parts) {
  const T n = parts.shifted - T(Layout<T>::magic);
  const T r_lost = fma(n, T(-Ln2<T>::low), fma(n, T(-Ln2<T>::high), x) - parts.r);
  const T eighth_lost = parts.r - ((parts.r + T(0.125)) - T(0.125));
  return fma(parts.mantissa, r_lost, eighth_lost + ((T(0.875) - parts.mantissa) + parts.rest));
}

template <class T>
[[gnu::always_inline]] inline T exponential(T x) {
  using E = typename T::Element;
  constexpr E usual_limit = is_single<T> ? 87 : 708;  // results are normal numbers within
  constexpr E largest = is_single<T> ? 90 : 711, smallest = is_single<T> ? -105 : -747;
  const ExponentialParts<T> parts = exponential_parts(x);
  return rare(~(magnitude(x) < T(usual_limit)), add_exponent(parts.mantissa, bits(parts.shifted)), [=] {
    const T clamped = select(x > T(largest), T(largest), select(x < T(smallest), T(smallest), x));
    const ExponentialParts<T> edge = exponential_parts(clamped);
    return select(x == x, scale_by_power(edge.mantissa, small_integer(edge.shifted)), x);
  });
}

// x = m·2^k with m in [√½, √2), for positive normal x.
template <class T>
struct LogarithmParts {
  T m;
  T k;
};
template <class T>
[[gnu::always_inline]] inline LogarithmParts<T> logarithm_parts(T x) {
  using I = typename T::Integer;
  // The bits of √½.
  constexpr auto root = is_single<T> ? typename I::Element(0x3f3504f3) : typename I::Element(0x3fe6a09e667f3bcd);
  const I k = shift_right(bits(x) - I(root), I(Layout<T>::fraction));
  return {from_bits(bits(x) - shift_left(k, I(Layout<T>::fraction))), small_float<T>(k)};
}

// (2·atanh(s) − 2s)/s³ in z = s².
template <class T>
[[gnu::always_inline]] inline T logarithm_tail(T z) {
  if constexpr (is_single<T>) {
    return polynomial(z, 0x1.555556p-1, 0x1.999a7ep-2, 0x1.243588p-2, 0x1.e3aff8p-3);
  } else {
    return polynomial(z, 0x1.555555555557cp-1, 0x1.999999998478bp-2, 0x1.2492493fb3d3dp-2, 0x1.c71c52b873ea2p-3,
                      0x1.7466493a4aa4ep-3, 0x1.399d03a14fff9p-3, 0x1.2f5283d2cb5ebp-3);
  }
}

// ln(1 + f) − f + low for 1 + f in [√½, √2): with s = f/(2 + f) it is s·(f²/2 + s²·tail) − f²/2.
template <class T>
[[gnu::always_inline]] inline T logarithm_rest(T f, T low) {
  const T s = f / (T(2) + f);
  const T z = s * s, half = T(0.5) * f * f;
  return fma(s, fma(z, logarithm_tail(z), half), low) - half;
}

// ln(1 + f) + k·ln 2 + low for 1 + f in [√½, √2).
template <class T>
[[gnu::always_inline]] inline T logarithm_sum(T f, T k, T low) {
  using E = typename T::Element;
  constexpr auto high = is_single<T> ? 0x1.62e4p-1 : 0x1.62e42fefap-1;  // few bits, so that k·high is exact
  constexpr auto rest = is_single<T> ? 0x1.7f7d1cp-20 : 0x1.cf79abc9e3b39803fp-40;  // ln 2 − high
  return fma(k, T(static_cast<E>(high)), f + logarithm_rest(f, fma(k, T(static_cast<E>(rest)), low)));
}

// normal(x, shift), which is log(x·2^shift) for positive normal x, at all x.
template <class T, class F>
[[gnu::always_inline]] inline T logarithm_by(T x, F normal) {
  using E = typename T::Element;
  constexpr E tiny = is_single<T> ? 0x1p-126 : 0x1p-1022, up = is_single<T> ? 0x1p25 : 0x1p54;
  constexpr E shift = is_single<T> ? -25 : -54;
  return rare(~((x >= T(tiny)) & (x < T(infinity<T>))), normal(x, E(0)), [=] {
    const T subnormal = normal(x * T(up), shift);
    const T special = select(x == T(0), T(-infinity<T>), select(x > T(0), x, T(__builtin_nan(""))));
    return select((x > T(0)) & (x < T(infinity<T>)), subnormal, special);
  });
}

template <class T>
[[gnu::always_inline]] inline T logarithm(T x) {
  return logarithm_by(x, [](T positive, typename T::Element shift) {
    const LogarithmParts<T> parts = logarithm_parts(positive);
    return logarithm_sum(parts.m - T(1), parts.k + T(shift), T(0));
  });
}

// ln(1 + x + low) for −1 < x < 2^1000 (f32: 2^100), low at most half a unit in x's last place. Of 1 + x only the
// exponent is taken, so that nothing is lost.
template <class T>
[[gnu::always_inline]] inline T logarithm_one_plus(T x, T low) {
  using E = typename T::Element;
  const T k = logarithm_parts(T(1) + x).k;
  const T down = power_of_two<T>(-small_integer(k + T(Layout<T>::magic)));
  const T f = fma(x, down, down - T(1));
  return logarithm_sum(f, k, low * down * fma(f, T(E(-0.8)), T(E(1.04))));  // low/(1 + f), roughly
}
template <class T>
[[gnu::always_inline]] inline T logarithm_one_plus(T x) {
  return logarithm_one_plus(x, T(0));
}

}  // namespace covec::ops
