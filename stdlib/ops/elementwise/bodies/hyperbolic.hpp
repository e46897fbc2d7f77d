// sinh, cosh and the inverses of the hyperbolic functions (tanh: functions.hpp). Polynomials: polynomials.py. At most
// two units in the last place off.
#pragma once

#include "stdlib/ops/elementwise/bodies/exponential.hpp"
#include "stdlib/ops/elementwise/bodies/roots.hpp"

namespace covec::ops {

// (sinh r − r)/r³ and (cosh r − 1)/r² in z = r², |r| ≤ ln 2/2.
template <class T>
[[gnu::always_inline]] inline T hyperbolic_sine_tail(T z) {
  if constexpr (is_single<T>) {
    return polynomial(z, 0x1.5554bp-3, 0x1.122802p-7);
  } else {
    return polynomial(z, 0x1.5555555555559p-3, 0x1.111111110f6aep-7, 0x1.a01a01afe55ebp-13, 0x1.71ddf85312b83p-19,
                      0x1.af5ebff6b8668p-26);
  }
}
template <class T>
[[gnu::always_inline]] inline T hyperbolic_cosine_tail(T z) {
  if constexpr (is_single<T>) {
    return polynomial(z, 0x1p-1, 0x1.55547ep-5, 0x1.6d979p-10);
  } else {
    return polynomial(z, 0x1.000000000000cp-1, 0x1.555555554ff8dp-5, 0x1.6c16c185c2e3bp-10, 0x1.a019965623d96p-16,
                      0x1.28b079d5d17d5p-22);
  }
}

// Of x = n·ln 2 + r: sinh(x) = sinh(n·ln 2)·cosh r + cosh(n·ln 2)·sinh r and the like, of which no difference cancels.
template <class T>
struct HyperbolicParts {
  T r;
  T sine_rest;    // sinh r − r
  T cosine_rest;  // cosh r − 1
  T sine;         // sinh(n·ln 2)
  T cosine;       // cosh(n·ln 2)
};
template <class T>
[[gnu::always_inline]] inline HyperbolicParts<T> hyperbolic_parts(T x) {
  using I = typename T::Integer;
  const T shifted = fma(x, T(Ln2<T>::inverse), T(Layout<T>::magic));
  const T n = shifted - T(Layout<T>::magic);
  const T r = fma(n, T(-Ln2<T>::low), fma(n, T(-Ln2<T>::high), x));
  const T z = r * r;
  const T up = power_of_two<T>(bits(shifted) - I(1)), down = power_of_two<T>(-bits(shifted) - I(1));
  return {r, r * z * hyperbolic_sine_tail(z), z * hyperbolic_cosine_tail(z), up - down, up + down};
}

// a·cosh r + b·sinh r. a is split into 7/8 a and 1/8 a, so that only the last addition rounds
// at the size of the result.
template <class T>
[[gnu::always_inline]] inline T hyperbolic_sum(const HyperbolicParts<T>& p, T a, T b) {
  using E = typename T::Element;
  const T rest = fma(b, p.sine_rest, a * p.cosine_rest);
  return fma(T(E(0.875)), a, fma(b, p.r, T(E(0.125)) * a) + rest);
}

// e^|x|/2 where that may overflow; NaN of NaN.
template <class T>
[[gnu::always_inline]] inline T half_exponential(T x) {
  using E = typename T::Element;
  using I = typename T::Integer;
  constexpr E largest = is_single<T> ? 91 : 712;
  const T size = magnitude(x);
  const ExponentialParts<T> parts = exponential_parts(select(size > T(largest), T(largest), size));
  const T half = scale_by_power(parts.mantissa, small_integer(parts.shifted) - I(1));
  return select(x == x, half, x);
}

template <class T>
[[gnu::always_inline]] inline auto beyond_exponential(T x) {
  using E = typename T::Element;
  constexpr E limit = is_single<T> ? 86 : 707;
  return ~(magnitude(x) < T(limit));
}

struct Cosh;
struct AsinhDerivative;
struct AcoshDerivative;
struct AtanhDerivative;

struct Sinh {
  static constexpr PointwiseInfo info{.name = "sinh",
                                      .doc = "The hyperbolic sine, elementwise.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0),
                                      .action = "take the hyperbolic sine of {}",
                                      .ulp = 2,
                                      .first_ulp = 2,
                                      .second_ulp = 2};
  template <class T>
  static T body(T x) {
    const HyperbolicParts<T> p = hyperbolic_parts(x);
    const T sum = hyperbolic_sum(p, p.sine, p.cosine);
    return copy_sign(rare(beyond_exponential(x), sum, [=] { return half_exponential(x); }), x);
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return E::template apply<Cosh>(x[0]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.25, -1.0, 3.0]", "[0.2526123168081683, -1.1752011936438014, 10.017874927409903]", "mpfr", 2, true},
      {"[-0.0, inf, -inf, nan, 711.0]", "[-0.0, inf, -inf, nan, inf]"}};
};

struct Cosh {
  static constexpr PointwiseInfo info{.name = "cosh",
                                      .doc = "The hyperbolic cosine, elementwise.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0),
                                      .action = "take the hyperbolic cosine of {}",
                                      .ulp = 2,
                                      .first_ulp = 2,
                                      .second_ulp = 2};
  template <class T>
  static T body(T x) {
    const HyperbolicParts<T> p = hyperbolic_parts(x);
    const T sum = hyperbolic_sum(p, p.cosine, p.sine);
    return rare(beyond_exponential(x), sum, [=] { return half_exponential(x); });
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return E::template apply<Sinh>(x[0]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.25, -1.0, 3.0]", "[1.0314130998795732, 1.5430806348152437, 10.067661995777765]", "mpfr", 2, true},
      {"[-0.0, inf, -inf, nan, 711.0]", "[1.0, inf, inf, nan, inf]"}};
};

struct Asinh {
  static constexpr PointwiseInfo info{.name = "asinh",
                                      .doc = "The inverse of sinh, elementwise.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0),
                                      .action = "take asinh of {}",
                                      .ulp = 2,
                                      .first_ulp = 2.5,
                                      .second_ulp = 8};
  // ln(1 + f) with f = |x| + x²/(1 + √(1 + x²)).
  template <class T>
  static T body(T x) {
    using E = typename T::Element;
    constexpr E limit = is_single<T> ? 0x1p50 : 0x1p500;
    const T size = magnitude(x);
    const T square = x * x, bent = square / (T(1) + sqrt(fma(x, x, T(1))));
    const T f = size + bent, lost = (size - f) + bent;
    return copy_sign(rare(~(size < T(limit)), logarithm_one_plus(f, lost),
                          [=] { return logarithm(size) + T(E(0.69314718055994531)); }),
                     x);
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return E::template apply<AsinhDerivative>(x[0]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.25, -1.0, 3.0]", "[0.24746646154726346, -0.881373587019543, 1.8184464592320668]", "mpfr", 2, true},
      {"[-0.0, inf, -inf, nan, 1e-300, 1e300]", "[-0.0, inf, -inf, nan, 1e-300, 691.4686750787736]", "mpfr", 1}};
};

struct Acosh {
  static constexpr PointwiseInfo info{.name = "acosh",
                                      .doc =
                                          "The inverse of cosh that is not negative, elementwise; NaN below 1.\n"
                                          "The derivative at 1 is inf.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0),
                                      .action = "take acosh of {}",
                                      .ulp = 2,
                                      .first_ulp = 2.5,
                                      .second_ulp = 8.5};
  // ln(1 + f) with f = t + √(t² + 2t), t = x − 1.
  template <class T>
  static T body(T x) {
    using E = typename T::Element;
    constexpr E limit = is_single<T> ? 0x1p50 : 0x1p500;
    const T t = x - T(1);
    const T root = sqrt(fma(t, t, t + t));
    const T f = root + t, lost = (root - f) + t;
    return rare(~((x >= T(1)) & (x < T(limit))), logarithm_one_plus(f, lost),
                [=] { return select(x >= T(1), logarithm(x) + T(E(0.69314718055994531)), T(__builtin_nan(""))); });
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return E::template apply<AcoshDerivative>(x[0]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[1.25, 2.0, 10.0]", "[0.6931471805599453, 1.3169578969248168, 2.993222846126381]", "mpfr", 2, true},
      {"[1.0, 0.5, -2.0, inf, nan, 1e300]", "[0.0, nan, nan, inf, nan, 691.4686750787736]", "mpfr", 1}};
};

// (atanh s − s)/s³ in z = s², |s| ≤ 0.2775.
template <class T>
[[gnu::always_inline]] inline T hyperbolic_arctangent_tail(T z) {
  if constexpr (is_single<T>) {
    return polynomial(z, 0x1.555544p-2, 0x1.99ab18p-3, 0x1.21f22cp-3, 0x1.0aa0ap-3);
  } else {
    return polynomial(z, 0x1.5555555555574p-2, 0x1.9999999991c08p-3, 0x1.2492492a06bb8p-3, 0x1.c71c6e10a2d27p-4,
                      0x1.745dcdda6bb39p-4, 0x1.3afe9689ff430p-4, 0x1.128f41351913ep-4, 0x1.c1bb23a38cbc3p-5,
                      0x1.341057f6c1e99p-4);
  }
}

struct Atanh {
  static constexpr PointwiseInfo info{.name = "atanh",
                                      .doc =
                                          "The inverse of tanh, elementwise; ±inf of ±1, NaN beyond.\n"
                                          "The derivative at ±1 is inf.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0),
                                      .action = "take atanh of {}",
                                      .ulp = 2,
                                      .first_ulp = 2.5,
                                      .second_ulp = 8};
  template <class T>
  static T body(T x) {
    const T size = magnitude(x);
    return rare(~(size < T(1)), copy_sign(inside(size), x),
                [=] { return select(size == T(1), x * T(infinity<T>), T(__builtin_nan(""))); });
  }
  // ln((1 + x)/(1 − x))/2 for x in [0, 1). The quotient is p·(1 + s)/(1 − s) with p = 2^k near it, found from the bits
  // of its parts, which are nearly their logarithms; s = ((1 + x) − p·(1 − x))/((1 + x) + p·(1 − x)), with what 1 ± x
  // lose.
  template <class T>
  static T inside(T x) {
    using E = typename T::Element;
    using I = typename T::Integer;
    using Bits = typename I::Element;
    // The next p is taken a little late, where the result no longer is below ln 2/2 by much.
    constexpr Bits before = Bits((Bits(1) << Layout<T>::fraction) * 0.265);
    const T above = T(1) + x, below = T(1) - x;
    const T above_lost = x - (above - T(1)), below_lost = (T(1) - below) - x;
    const I k = shift_right_logical(bits(above) - bits(below) + I(before), I(Layout<T>::fraction));
    const T p = power_of_two<T>(k), twice = small_float<T>(k);
    const T n = fma(-p, below, above) + fma(-p, below_lost, above_lost), d = fma(p, below, above);
    const T s = n / d, z = s * s;
    constexpr auto high = static_cast<E>(is_single<T> ? 0x1.62e4p-2 : 0x1.62e42fefap-2);  // ln 2/2, k·high exact
    constexpr auto low = static_cast<E>(is_single<T> ? 0x1.7f7d1cp-21 : 0x1.cf79abc9e3b39803fp-41);
    const T rest = fma(s * z, hyperbolic_arctangent_tail(z), twice * T(low));
    return fma(twice, T(high), s) + rest;
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return E::template apply<AtanhDerivative>(x[0]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.25, -0.5, 0.9]", "[0.25541281188299536, -0.5493061443340548, 1.4722194895832204]", "mpfr", 2, true},
      {"[-0.0, 1.0, -1.0, 1.5, nan, 1e-300]", "[-0.0, inf, -inf, nan, nan, 1e-300]"}};
};

using Hyperbolic = List<Sinh, Cosh, Asinh, Acosh, Atanh>;

}  // namespace covec::ops
