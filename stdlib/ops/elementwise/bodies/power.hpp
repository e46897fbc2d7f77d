// x ^ y. With an integer literal it is repeated squaring (IntegerPower). Otherwise it is a real power, accurate to
// about one unit in the last place: the logarithm to twice the precision, times y, through the exponential. f32
// computes in f64. Start at Power.
#pragma once

#include "stdlib/ops/elementwise/bodies/exponential.hpp"

namespace covec::ops {

// A sum of two floats, the second far below the first.
template <class T>
struct Double {
  T high;
  T low;
};

// ln x for finite x > 0, to about 2^-66. With u = (m − 1)/(m + 1): ln m = 2u·(1 + u²/3 + u⁴·tail(u²)).
template <class T>
[[gnu::always_inline]] inline Double<T> precise_logarithm(T x) {
  // ln 2 as a sum; few bits in the high part, so that k·high is exact.
  constexpr double ln2_high = 0x1.62e42fefap-1, ln2_low = 0x1.cf79abc9e3b39803fp-40;
  const auto subnormal = x < T(0x1p-1022);
  const LogarithmParts<T> parts = logarithm_parts(select(subnormal, x * T(0x1p54), x));
  const T k = parts.k - select(subnormal, T(54), T(0));
  const T f = parts.m - T(1), d = parts.m + T(1);
  const T d_low = parts.m - (d - T(1));
  const T u = f / d;
  const T u_low = fma(-u, d_low, fma(-u, d, f)) / d;
  const T v = u * u;
  const T v_low = fma(u, u, -v) + T(2) * u * u_low;
  const T tail = v * v *
                 polynomial(v, 0x1.999999999999ap-3, 0x1.2492492492523p-3, 0x1.c71c71c6ea329p-4, 0x1.745d177aeebd6p-4,
                            0x1.3b1395b02d732p-4, 0x1.1118ce8c9dc2cp-4, 0x1.df7b7d5e46a29p-5, 0x1.e03b1b37a2dc8p-5);
  constexpr double third = 0x1.5555555555555p-2, third_low = 0x1.5555555555555p-56;  // 1/3, to 106 bits
  const T w = v * T(third);
  const T w_low = fma(v, T(third), -w) + fma(v, T(third_low), fma(v_low, T(third), tail));
  const T twice = T(2) * u;
  const T second = twice * w;
  const T rest = fma(twice, w, -second) + fma(twice, w_low, T(2) * u_low * (T(1) + w));
  const T first = k * T(ln2_high);
  const T sum = first + twice;
  const T high = sum + second;
  const T low = ((first - sum) + twice) + ((sum - high) + second) + fma(k, T(ln2_low), rest);
  const T result = high + low;
  return {result, (high - result) + low};
}

// mantissa·2^small_integer(shifted), with the mantissa near 1.
template <class T>
struct Scaled {
  T mantissa;
  T shifted;
};

// e^(high + low) for finite |high| < 1400.
template <class T>
[[gnu::always_inline]] inline Scaled<T> precise_exponential_parts(T high, T low) {
  const T shifted = fma(high, T(Ln2<T>::inverse), T(Layout<T>::magic));
  const T n = shifted - T(Layout<T>::magic);
  const T exact = fma(n, T(-Ln2<T>::high), high);
  const T rounded = fma(n, T(-Ln2<T>::low), exact);
  const T r = rounded + low;
  const T r_low = ((rounded - r) + low) + fma(n, T(-Ln2<T>::low), exact - rounded);
  return {one_plus(r, fma(r * r, exponential_tail(r), fma(r_low, r, r_low))), shifted};
}

// e^(high + low), overflowing and underflowing.
template <class T>
[[gnu::always_inline]] inline T precise_exponential(T high, T low) {
  const auto inside = magnitude(high) < T(800);
  const T x = select(inside, high, select(high > T(0), T(800), T(-800)));
  const Scaled<T> parts = precise_exponential_parts(x, select(inside, low, T(0)));
  const auto power = small_integer(parts.shifted);
  return rare(~(magnitude(x) < T(708)), add_exponent(parts.mantissa, power),
              [=] { return scale_by_power(parts.mantissa, power); });
}

// |x|^y but for the cases that power_cases() overrides.
template <class T>
[[gnu::always_inline]] inline T positive_power(T x, T y) {
  const auto regular = (x > T(0)) & (x < T(infinity<T>));
  const Double<T> ln = precise_logarithm(select(regular, x, T(1)));
  const T high = select(regular, ln.high, select(x == T(0), T(-infinity<T>), x));
  const T product = y * high;
  const T low = fma(y, high, -product) + y * ln.low;
  return select(product == product, precise_exponential(product, select(magnitude(product) < T(800), low, T(0))),
                product);
}

// For f32, in f64: 2^-40 is accurate enough, so short polynomials do.
template <class T>
[[gnu::always_inline]] inline T short_logarithm(T x) {
  const LogarithmParts<T> parts = logarithm_parts(x);
  const T f = parts.m - T(1);
  const T s = f / (T(2) + f);
  const T z = s * s;
  const T series = polynomial(z, 0x1.55555555f34a0p-1, 0x1.999996d22093fp-2, 0x1.24941566ed8d0p-2, 0x1.c6254e933e671p-3,
                              0x1.9198973754a9fp-3);
  return fma(parts.k, T(0x1.62e42fefa39efp-1), fma(s * z, series, T(2) * s));
}
template <class T>
[[gnu::always_inline]] inline Scaled<T> short_exponential_parts(T x) {
  const T shifted = fma(x, T(Ln2<T>::inverse), T(Layout<T>::magic));
  const T n = shifted - T(Layout<T>::magic);
  const T r = fma(n, T(-Ln2<T>::high), x);
  const T tail = polynomial(r, 0x1.0000004567fc3p-1, 0x1.5555557429c48p-3, 0x1.555470a6f6d12p-5, 0x1.1110ab7ae4501p-7,
                            0x1.6da75727846dfp-10, 0x1.a17df44e0d8a5p-13);
  return {T(1) + fma(r * r, tail, r), shifted};
}
// e^±200 is 0 or inf in f32.
template <class T>
[[gnu::always_inline]] inline T positive_power_single(T x, T y) {
  const auto regular = (x > T(0)) & (x < T(infinity<T>));
  const T ln = short_logarithm(select(regular, x, T(1)));
  const T product = y * select(regular, ln, select(x == T(0), T(-infinity<T>), x));
  const T inside = select(product > T(200), T(200), select(product < T(-200), T(-200), product));
  const Scaled<T> parts = short_exponential_parts(inside);
  return select(product == product, add_exponent(parts.mantissa, bits(parts.shifted)), product);
}

// IEEE's pow: signs, and the cases where a NaN or an infinity still gives a number.
template <class T>
[[gnu::always_inline]] inline T real_power(T x, T y) {
  const T base = magnitude(x);
  T result(0);
  if constexpr (is_single<T>) {
    result = convert<float>(positive_power_single(convert<double>(base), convert<double>(y)));
  } else {
    result = positive_power(base, y);
  }
  const auto whole = trunc(y) == y;
  const auto odd = whole & (trunc(y * T(0.5)) != y * T(0.5));
  using I = typename T::Integer;
  const auto negative = bits(x) < I(0);
  result = select(negative & odd, -result, result);
  result = select((x < T(0)) & (base < T(infinity<T>)) & ~whole, T(__builtin_nan("")), result);
  result = select((base == T(1)) & (magnitude(y) == T(infinity<T>)), T(1), result);
  return select((x == T(1)) | (y == T(0)), T(1), result);
}

struct PowerDerivative;
struct PowerLogDerivative;

struct Power {
  static constexpr PointwiseInfo info{.name = "pow",
                                      .doc =
                                          "`x ^ y`, elementwise.\n`x ^ n` with an integer literal up to 16 is repeated "
                                          "squaring, its reciprocal for a negative one. An integer "
                                          "raised to a negative integer is an error. The derivative by x is 0 where y "
                                          "is 0, that by y is 0 where x is 0.",
                                      .parameters = {"x", "y"},
                                      .arity = 2,
                                      .types = TypeClass::numeric,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0) | keep(1),
                                      .action = "raise {} to the power {}",
                                      .failure = Failure::negative_exponent,
                                      .ulp = 1.5,
                                      .first_ulp = 2.5,
                                      .second_ulp = 4.5};
  template <class T>
  static T body(T x, T y) {
    if constexpr (T::is_float)
      return real_power(x, y);
    else
      return integer_power(x, y);
  }
  template <class T>
  requires(!T::is_float) static auto fails(T, T y) { return y < T(0); }
  template <class E>
  static E partial(unsigned i, const E* x, const E&) {
    return i == 0 ? E::template apply<PowerDerivative>(x[0], x[1]) : E::template apply<PowerLogDerivative>(x[0], x[1]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[2.0, 9.0, 0.5], [0.5, -1.5, 3.25]", "[1.4142135623730951, 0.037037037037037035, 0.10511205190671433]", "mpfr",
       1, true},
      {"[2, -3, 0], [10, 3, 0]", "[1024, -27, 1]"},
      {"[-8.0, -8.0, 0.0, nan, 1.0], [3.5, 3.0, -1.5, 0.0, nan]", "[nan, -512.0, inf, 1.0, 1.0]"}};
};

}  // namespace covec::ops
