// The error function, its complement, and gelu. All rest on the tail of the normal distribution, see NormalTail.
// Polynomials: polynomials.py. At most two units in the last place off.
#pragma once

#include "stdlib/ops/elementwise/bodies/functions.hpp"

namespace covec::ops {

// erfc(y/√2)·e^(y²/2)/w at w = 1/(y + 17/4) = point + v, for 0 ≤ y ≤ 39 (f32: 14.8). The point is such that the first
// coefficient is nearly a float, and no sum cancels. Of f64 the fourth and the fifth are raised by one unit, so that
// erfc(0) is 1.
template <class T>
struct NormalRatio {
  using E = typename T::Element;
  static constexpr E point = is_single<T> ? 0x1.238p-4 : 0x1.77p-5;
  static constexpr E first = is_single<T> ? 0x1.21de84p+0 : 0x1.f99167ffcaee4p-1;
  static constexpr E second = is_single<T> ? 0x1.9c9c86p+2 : 0x1.428f20bde6205p+2;
  static constexpr E third = is_single<T> ? 0x1.03fad4p+5 : 0x1.7791ef534052ep+4;
};
template <class T>
[[gnu::always_inline]] inline T normal_ratio_rest(T v) {
  if constexpr (is_single<T>) {
    return polynomial(v, 0x1.1b49d2p+7, 0x1.002b22p+9, 0x1.61770cp+10, 0x1.def23ap+10, 0x1.759a6p+10, -0x1.f3db3cp+15,
                      0x1.a003e4p+16);
  } else {
    return polynomial(v, 0x1.87cf2934fd1f1p+6, 0x1.63877a4b189cep+8, 0x1.093795cd8c3c3p+10, 0x1.19a700763b47bp+11,
                      0x1.540b523f69d16p+10, -0x1.9e49ac2b839ddp+13, -0x1.d095fe139ca75p+15, -0x1.ecdc869bab9bp+15,
                      0x1.cf0dda6e2f47bp+18, 0x1.09120fb7275dp+21, 0x1.80d1f26ca8a14p+20, -0x1.065e75d1b90f1p+26,
                      0x1.a330ecf9ebaf9p+28, -0x1.213292a8790b4p+32, 0x1.26363dccd352cp+35, -0x1.61d9dfb6e92d5p+37,
                      0x1.07461caf33fb4p+39, -0x1.e6fe43168e777p+39, 0x1.03ed474f61782p+40, -0x1.ede5707180c0ep+38);
  }
}

// erfc(y/√2) = (value + low)·2^small_integer(shifted), for a y in [0, 39] of two parts and y²/2 of two parts. What each
// step loses is kept and put back at the end: the squares of large y, and the slope of the ratio at small y, would make
// it several units.
template <class T>
struct NormalTail {
  T value;
  T low;
  T shifted;
};
template <class T>
[[gnu::always_inline]] inline NormalTail<T> normal_tail(T y, T y_low, T half_square, T half_square_low) {
  using E = typename T::Element;
  using Ratio = NormalRatio<T>;
  const T d = y + T(E(4.25)), d_low = (y - (d - T(E(4.25)))) + y_low;
  const T w = T(1) / d;
  const T w_lost = fma(-w, d_low, fma(-w, d, T(1)));  // of its size, as all that is lost but for `lost`
  const T v = w - T(Ratio::point);
  const T rest = normal_ratio_rest(v);
  const T curvature = fma(v, rest, T(Ratio::third)), curvature_low = fma(v, rest, T(Ratio::third) - curvature);
  const T slope = fma(v, curvature, T(Ratio::second));
  const T slope_low = fma(v, curvature_low, fma(v, curvature, T(Ratio::second) - slope));
  const T ratio = fma(v, slope, T(Ratio::first));
  const T ratio_low = fma(v, slope_low, fma(v, slope, T(Ratio::first) - ratio));
  const ExponentialParts<T> e = exponential_parts(-half_square);
  const T e_low = exponential_lost(-half_square, e);
  const T part = e.mantissa * w, part_low = fma(e_low, w, fma(e.mantissa, w, -part));
  const T value = part * ratio;
  const T steepness = fma(w, fma(w, T(E(24)), T(E(4.53))), T(1));  // d ln(w·ratio)/d ln w, roughly
  const T lost = fma(part, ratio_low, fma(part_low, ratio, fma(part, ratio, -value)));
  return {value, fma(value, fma(w_lost, steepness, -half_square_low), lost), e.shifted};
}

// value·2^small_integer(shifted), also below the normal numbers.
template <class T>
[[gnu::always_inline]] inline T scaled_tail(T value, T shifted, T half_square) {
  using E = typename T::Element;
  constexpr E usual_limit = is_single<T> ? 80 : 700;
  return rare(~(half_square < T(usual_limit)), add_exponent(value, bits(shifted)),
              [=] { return scale_by_power(value, small_integer(shifted)); });
}

// erfc(|x|); 0 where it is below all numbers.
template <class T>
[[gnu::always_inline]] inline T error_complement(T x) {
  using E = typename T::Element;
  constexpr E last = is_single<T> ? 10.5 : 27.5;
  constexpr E root = is_single<T> ? 0x1.6a09e6p+0 : 0x1.6a09e667f3bcdp+0;
  constexpr E root_low = is_single<T> ? 0x1.9fcef4p-26 : -0x1.bdd3413b26456p-54;
  const T size = magnitude(x);
  const T a = select(size > T(last), T(last), size);
  const T y = a * T(root), y_low = fma(a, T(root_low), fma(a, T(root), -y));
  const T square = a * a;
  const NormalTail<T> tail = normal_tail(y, y_low, square, fma(a, a, -square));
  return scaled_tail(tail.value + tail.low, tail.shifted, square);
}

struct ErfDerivative;
struct GeluDerivative;

struct Erf {
  static constexpr PointwiseInfo info{.name = "erf",
                                      .doc = "The error function 2/√π·∫₀ˣ e^(−t²) dt, elementwise.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0),
                                      .action = "take erf of {}",
                                      .ulp = 1.5,
                                      .first_ulp = 3,
                                      .second_ulp = 4};
  // x + x·near(x²) below 1, else 1 − erfc(x), which is small enough to be taken plainly.
  template <class T>
  static T body(T x) {
    using E = typename T::Element;
    using Ratio = NormalRatio<T>;
    constexpr E last = is_single<T> ? 4 : 6;  // from here on it is 1
    const T size = magnitude(x);
    const T a = select(size > T(last), T(last), size);
    const T w = T(1) / fma(a, T(E(0x1.6a09e667f3bcdp+0)), T(E(4.25)));
    const T v = w - T(Ratio::point);
    const ExponentialParts<T> e = exponential_parts(-(a * a));
    const T curvature = fma(v, normal_ratio_rest(v), T(Ratio::third));
    const T ratio = fma(v, fma(v, curvature, T(Ratio::second)), T(Ratio::first));
    const T tail = add_exponent(e.mantissa * w, bits(e.shifted)) * ratio;
    return copy_sign(select(size >= T(1), T(1) - tail, fma(size, near(x * x), size)), x);
  }
  template <class T>
  static T near(T z) {
    if constexpr (is_single<T>) {
      return polynomial(z, 0x1.06eba8p-3, -0x1.81273ep-2, 0x1.ce2cf8p-4, -0x1.b7f90ep-6, 0x1.5405b2p-8, -0x1.a3f702p-11,
                        0x1.496a36p-14);
    } else {
      return polynomial(z, 0x1.06eba8214db68p-3, -0x1.812746b0379bdp-2, 0x1.ce2f21a040d16p-4, -0x1.b82ce311fa93ap-6,
                        0x1.565bccf92b293p-8, -0x1.c02db03dd6383p-11, 0x1.f9a2baa8ea9e1p-14, -0x1.f4ca4d6e16eaep-17,
                        0x1.b97fd3cebd038p-20, -0x1.5c0726b101ff1p-23, 0x1.d71b0d78b57fdp-27, -0x1.abae44718e1b9p-31);
    }
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return E::template apply<ErfDerivative>(x[0]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.25, -1.0, 3.0]", "[0.27632639016823696, -0.8427007929497149, 0.9999779095030014]", "mpfr", 2, true},
      {"[-0.0, inf, -inf, nan, 1e-300]", "[-0.0, 1.0, -1.0, nan, 1.1283791670955126e-300]", "mpfr", 1}};
};

struct Erfc {
  static constexpr PointwiseInfo info{.name = "erfc",
                                      .doc = "1 − erf(x), elementwise, with all its digits where that is small.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0),
                                      .action = "take erfc of {}",
                                      .ulp = 2,
                                      .first_ulp = 3,
                                      .second_ulp = 4};
  template <class T>
  static T body(T x) {
    const T tail = error_complement(x);
    return select(x < T(0), T(2) - tail, tail);
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return -E::template apply<ErfDerivative>(x[0]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.25, -1.0, 3.0, 10.0]",
       "[0.7236736098317631, 1.8427007929497148, 2.209049699858544e-05, 2.088487583762545e-45]", "mpfr", 2, true},
      {"[-0.0, inf, -inf, nan, 30.0]", "[1.0, 0.0, 2.0, nan, 0.0]"}};
};

struct Gelu {
  static constexpr PointwiseInfo info{.name = "gelu",
                                      .doc =
                                          "x·Φ(x), Φ the normal distribution function: x/2·erfc(−x/√2), elementwise.\n"
                                          "−0 at −inf, the limit.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0),
                                      .action = "take gelu of {}",
                                      .ulp = 2,
                                      .first_ulp = 4,
                                      .second_ulp = 4};
  // With the tail t = erfc(|x|/√2): −|x|/2·t left of 0, x − |x|/2·t right of it.
  template <class T>
  static T body(T x) {
    using E = typename T::Element;
    constexpr E last = is_single<T> ? 14.75 : 39;  // beyond, the tail is below all numbers
    const T size = magnitude(x);
    const T y = select(size > T(last), T(last), size), half = T(E(0.5)) * y;
    const T square = y * half;
    const auto left = x < T(0);
    const NormalTail<T> parts = normal_tail(y, T(0), square, fma(y, half, -square));
    const T times = select(left, -half, T(1)), product = parts.value * times;
    const T low = fma(parts.low, times, fma(parts.value, times, -product));
    const T tail = scaled_tail(product + low, parts.shifted, square);
    return copy_sign(select(left, tail, fma(-half, tail, x)), x);
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return E::template apply<GeluDerivative>(x[0]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.5, -1.0, 3.0, -20.0]",
       "[0.34573123063700656, -0.15865525393145705, 2.99595030590511, -5.507248237212468e-88]", "mpfr", 2, true},
      {"[-0.0, inf, -inf, nan, -40.0, 1e300]", "[-0.0, inf, -0.0, nan, -0.0, 1e300]", "the limit at −inf"}};
};

using ErrorFunctions = List<Erf, Erfc, Gelu>;

}  // namespace covec::ops
