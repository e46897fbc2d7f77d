// The tangent, and the angles of a sine, cosine and tangent. Polynomials: polynomials.py. At most two units in the last
// place off.
#pragma once

#include "stdlib/ops/elementwise/bodies/arctangent.hpp"
#include "stdlib/ops/elementwise/bodies/roots.hpp"
#include "stdlib/ops/elementwise/bodies/trigonometric.hpp"

namespace covec::ops {

// tan r = r·(1 + z·top)/(1 + z·bottom) in z = r²: Padé's denominator, and the numerator fitted to it.
template <class T>
struct TangentParts {
  T top;
  T bottom;
};
template <class T>
[[gnu::always_inline]] inline TangentParts<T> tangent_parts(T z) {
  if constexpr (is_single<T>) {
    return {polynomial(z, -0x1.c71c78p-4, 0x1.156aaap-10), polynomial(z, -0x1.c71c72p-2, 0x1.041042p-6)};
  } else {
    return {polynomial(z, -0x1.1919191919191p-3, 0x1.0101010101021p-8, -0x1.e20001e203498p-16, 0x1.f28db67f82200p-26),
            polynomial(z, -0x1.e1e1e1e1e1e1ep-2, 0x1.c1c1c1c1c1c1cp-6, -0x1.a5c001a5c001ap-12, 0x1.5e8ba44745d2dp-20)};
  }
}

// tan(high − below + quadrant·π/2): the quotient, or in odd quadrants −1 by it; n makes up for what d loses. That and
// `below` are so small that 1 + 0.72z will do for the slope and for 1/(1 + z·bottom).
template <class T>
[[gnu::always_inline]] inline T tangent_reduced(const Reduced<T>& r) {
  using I = typename T::Integer;
  using E = typename T::Element;
  const T z = r.high * r.high, slope = fma(T(E(0.72)), z, T(1));
  const TangentParts<T> parts = tangent_parts(z);
  const T d = fma(z, parts.bottom, T(1));
  const T lost = fma(z, parts.bottom, T(1) - d) * slope;
  const T n = r.high - fma(r.high, fma(-z, parts.top, lost), r.below * slope);
  const auto odd = (r.quadrant & I(1)) != I(0);
  return select(odd, -d, n) / select(odd, n, d);
}

struct OneAndSquare;
struct AsinDerivative;
struct AtanDerivative;

struct Tan {
  static constexpr PointwiseInfo info{.name = "tan",
                                      .doc = "The tangent of an angle in radians, elementwise.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep_result,
                                      .action = "take the tangent of {}",
                                      .ulp = 2,
                                      .first_ulp = 4,
                                      .second_ulp = 12};
  template <class T>
  static T body(T x) {
    return by_quadrants(x, [](const auto& r) { return tangent_reduced(r); });
  }
  template <class E>
  static E partial(unsigned, const E*, const E& y) {
    return E::template apply<OneAndSquare>(y);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.5, -1.0, 3.0]", "[0.5463024898437905, -1.557407724654902, -0.1425465430742778]", "mpfr", 1, true},
      {"[-0.0, inf, 1e22]", "[-0.0, nan, -1.628778225606898]", "mpfr", 1}};
};

// asin t = t + t³·tail(t²) for |t| ≤ ½.
template <class T>
[[gnu::always_inline]] inline T arcsine_tail(T z) {
  if constexpr (is_single<T>) {
    return polynomial(z, 0x1.5555c8p-3, 0x1.3301e4p-4, 0x1.747e4ap-5, 0x1.8c284p-6, 0x1.596d24p-5);
  } else {
    return polynomial(z, 0x1.5555555555577p-3, 0x1.333333332e0f7p-4, 0x1.6db6db72148a1p-5, 0x1.f1c71a944770ep-6,
                      0x1.6e8bdef0a0104p-6, 0x1.1c49ef5766689p-6, 0x1.ca1fa396b0469p-7, 0x1.7584e38bf68c0p-7,
                      0x1.613fea7547db6p-7, 0x1.e5c60d480d744p-9, 0x1.63aa026df0292p-6, -0x1.580f9bf469b12p-6,
                      0x1.0b4c1d8e12a19p-5);
  }
}

// asin of a sine t in [0, ½] as t + rest: of |x|, or beyond ½ of √((1 − |x|)/2), the sine of half the angle from 1.
template <class T>
struct ArcsineParts {
  typename T::Truth half;
  T t;
  T rest;
};
template <class T>
[[gnu::always_inline]] inline ArcsineParts<T> arcsine_parts(T x) {
  using E = typename T::Element;
  const T size = magnitude(x);
  const auto half = size > T(E(0.5));
  const T z = select(half, fma(size, T(E(-0.5)), T(E(0.5))), x * x);
  const T t = select(half, sqrt(z), size);
  return {half, t, t * (z * arcsine_tail(z))};
}

template <class T>
struct HalfTurn {  // π/2
  // The sum of two floats, each rounded to nearest.
  static constexpr auto high = static_cast<typename T::Element>(is_single<T> ? 0x1.921fb6p+0 : 0x1.921fb54442d18p+0);
  static constexpr auto low = static_cast<typename T::Element>(is_single<T> ? -0x1.777a5cp-25 : 0x1.1a62633145c07p-54);
};

struct Asin {
  static constexpr PointwiseInfo info{.name = "asin",
                                      .doc =
                                          "The angle in [−π/2, π/2] whose sine is x, elementwise; NaN beyond ±1.\n"
                                          "The derivative at ±1 is inf.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0),
                                      .action = "take the arc sine of {}",
                                      .ulp = 1.5,
                                      .first_ulp = 2.5,
                                      .second_ulp = 10};
  template <class T>
  static T body(T x) {
    const ArcsineParts<T> parts = arcsine_parts(x);
    const T high = fma(T(-2), parts.t, T(HalfTurn<T>::high));
    const T lost = fma(T(-2), parts.t, T(HalfTurn<T>::high) - high);
    const T from_one = high + (lost - fma(T(2), parts.rest, T(-HalfTurn<T>::low)));
    return copy_sign(select(parts.half, from_one, parts.t + parts.rest), x);
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return E::template apply<AsinDerivative>(x[0]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.25, -0.5, 0.9]", "[0.25268025514207865, -0.5235987755982989, 1.1197695149986342]", "mpfr", 2, true},
      {"[-0.0, 1.0, -1.0, 1.5, nan]", "[-0.0, 1.5707963267948966, -1.5707963267948966, nan, nan]"}};
};

struct Acos {
  static constexpr PointwiseInfo info{.name = "acos",
                                      .doc =
                                          "The angle in [0, π] whose cosine is x, elementwise; NaN beyond ±1.\n"
                                          "The derivative at ±1 is −inf.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0),
                                      .action = "take the arc cosine of {}",
                                      .ulp = 1.5,
                                      .first_ulp = 2.5,
                                      .second_ulp = 10};
  // π/2 − asin x; beyond ½ twice the half angle, from 0 or from π.
  template <class T>
  static T body(T x) {
    const ArcsineParts<T> parts = arcsine_parts(x);
    const T t = copy_sign(parts.t, x), rest = copy_sign(parts.rest, x);
    const T base = select(x < T(0), T(2), T(0));
    const T quarters = select(parts.half, base, T(1)), times = select(parts.half, T(2), T(-1));
    return fma(times, t, quarters * T(HalfTurn<T>::high)) + fma(times, rest, quarters * T(HalfTurn<T>::low));
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return -E::template apply<AsinDerivative>(x[0]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.25, -0.5, 0.9]", "[1.318116071652818, 2.0943951023931957, 0.45102681179626236]", "mpfr", 2, true},
      {"[0.0, 1.0, -1.0, 1.5, nan]", "[1.5707963267948966, 0.0, 3.141592653589793, nan, nan]"}};
};

struct Atan {
  static constexpr PointwiseInfo info{.name = "atan",
                                      .doc = "The angle in [−π/2, π/2] whose tangent is x, elementwise.",
                                      .parameters = {"x"},
                                      .arity = 1,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0),
                                      .action = "take the arc tangent of {}",
                                      .ulp = 1.5,
                                      .first_ulp = 2,
                                      .second_ulp = 5};
  template <class T>
  static T body(T x) {
    const T size = magnitude(x);
    const auto steep = size > T(1);
    const T t = select(steep, T(1) / size, size);
    const T rest = arctangent_rest(t);
    const T from_half = (T(HalfTurn<T>::high) - t) - (rest - T(HalfTurn<T>::low));
    return copy_sign(select(steep, from_half, t + rest), x);
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return E::template apply<AtanDerivative>(x[0]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.25, -1.0, 3.0]", "[0.24497866312686414, -0.7853981633974483, 1.2490457723982544]", "mpfr", 1, true},
      {"[-0.0, inf, -inf, nan]", "[-0.0, 1.5707963267948966, -1.5707963267948966, nan]"}};
};

using Angles = List<Tan, Asin, Acos, Atan>;

}  // namespace covec::ops
