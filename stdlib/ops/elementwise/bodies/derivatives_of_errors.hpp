// First and second derivatives of erf, erfc and gelu. They are products with e^(−x²) that keep the rounding error of
// x². Without it the result would be hundreds of units off where the exponential is small. Start at ErfDerivative.
#pragma once

#include "stdlib/ops/elementwise/bodies/error_function.hpp"

namespace covec::ops {

struct Clip;

// factor·e^−(square + low), rounded once at the end, also below the normal numbers. low is far below 1.
template <class T>
[[gnu::always_inline]] inline T scaled_density(T factor, T square, T low) {
  const ExponentialParts<T> e = exponential_parts(-square);
  const T mantissa = factor * e.mantissa;
  return scaled_tail(fma(mantissa, -low, mantissa), e.shifted, square);
}

// |x| up to where the density of x² (or x²/2) is below all numbers; NaN stays.
template <class T>
[[gnu::always_inline]] inline T before(T x, double last, double last_single) {
  using E = typename T::Element;
  const T end(static_cast<E>(is_single<T> ? last_single : last));
  const T size = magnitude(x);
  return select(size > end, end, size);
}

// x between ends beyond which the density is 0, so that a third derivative has no ∞·0. It is x at 0 as well, where a
// density vanishes too: further derivatives need that of x.
template <class E>
E within_density(const E& x) {
  return E::template apply<Clip>(x, E(-40.0), E(40.0));
}

// A density: NaN where x is (the exponential gives something there).
template <class T>
[[gnu::always_inline]] inline T unless_nan(T x, T result) {
  return select(x == x, result, x);
}

struct ErfSecondDerivative;

struct ErfDerivative {
  static constexpr PointwiseInfo info =
      derivative_info("erf_derivative", "The derivative of erf: 2/√π·e^(−x²).", "take the derivative of erf of {}");
  static constexpr double factor = 0x1.20dd750429b6dp+0;  // 2/√π
  template <class T>
  static T body(T x) {
    using E = typename T::Element;
    const T a = before(x, 28, 11), square = a * a;
    return unless_nan(x, scaled_density(T(static_cast<E>(factor)), square, fma(a, a, -square)));
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return E::template apply<ErfSecondDerivative>(x[0]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.0, 0.25, -1.0, 3.0, 26.0]",
       "[1.1283791670955126, 1.0600141293761143, 0.4151074974205947, 0.00013925305194674786, 2.9470349932662697e-294]",
       "mpfr", 3, true},
      {"[inf, -inf, 1.7e308, nan]", "[0.0, 0.0, 0.0, nan]"}};
};

struct ErfSecondDerivative {
  static constexpr PointwiseInfo info =
      derivative_info("erf_second_derivative", "The second derivative of erf: −4/√π·x·e^(−x²).",
                      "take the second derivative of erf of {}", keep(0) | keep_result);
  template <class T>
  static T body(T x) {
    using E = typename T::Element;
    const T a = before(x, 28, 11), square = a * a;
    const T size = scaled_density(a * T(static_cast<E>(2 * ErfDerivative::factor)), square, fma(a, a, -square));
    return unless_nan(x, copy_sign(size, -x));
  }
  // −2·(f' + x·f'').
  template <class E>
  static E partial(unsigned, const E* x, const E& y) {
    return -2.0 * (E::template apply<ErfDerivative>(x[0]) + within_density(x[0]) * y);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.0, 0.25, -1.0, 3.0]", "[-0.0, -0.5300070646880572, 0.8302149948411894, -0.0008355183116804871]", "mpfr", 4,
       true},
      {"[inf, -inf, 1.7e308, nan]", "[-0.0, 0.0, -0.0, nan]"}};
};

struct GeluSecondDerivative;

// Φ(x) + x·φ(x).
struct GeluDerivative {
  static constexpr PointwiseInfo info =
      derivative_info("gelu_derivative", "The derivative of gelu: Φ(x) + x·φ(x).", "take the derivative of gelu of {}");
  // With the tail t = erfc(|x|/√2)/2 and p = |x|·φ(x), which share their power of 2: t − p left of 0, 1 − (t − p) right
  // of it. Both are taken as two floats, so that the difference keeps its digits near −0.75, where it vanishes.
  template <class T>
  static T body(T x) {
    using E = typename T::Element;
    const T y = before(x, 39, 14.75), half = T(E(0.5)) * y, square = y * half;
    const T square_low = fma(y, half, -square);
    const NormalTail<T> tail = normal_tail(y, T(0), square, square_low);
    const ExponentialParts<T> e = exponential_parts(-square);
    const T e_low = fma(e.mantissa, -square_low, exponential_lost(-square, e));
    constexpr auto root = static_cast<E>(is_single<T> ? 0x1.988454p-1 : 0x1.9884533d43651p-1);          // √(2/π)
    constexpr auto root_low = static_cast<E>(is_single<T> ? -0x1.857936p-26 : -0x1.cbc0d30ebfd15p-55);  // √(2/π) − root
    const T density = e.mantissa * T(root);
    const T density_low = fma(e.mantissa, T(root), -density) + fma(e.mantissa, T(root_low), e_low * T(root));
    const T product = density * y, product_low = fma(density, y, -product) + density_low * y;
    const T high = tail.value - product, rounded = tail.value - high;
    const T low = ((tail.value - (high + rounded)) + (rounded - product)) + (tail.low - product_low);
    const T left = scaled_tail(T(E(0.5)) * (high + low), tail.shifted, square);
    return unless_nan(x, select(x < T(0), left, T(1) - left));
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    return E::template apply<GeluSecondDerivative>(x[0]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.0, 0.5, -1.0, 3.0]", "[0.5, 0.8674951246561629, -0.0833154705876863, 1.011945647204184]", "mpfr", 4, true},
      {"[inf, -inf, 1e300, -1e300, nan]", "[1.0, 0.0, 1.0, 0.0, nan]"}};
};

// φ(x)·(2 − x²).
struct GeluSecondDerivative {
  static constexpr PointwiseInfo info =
      derivative_info("gelu_second_derivative", "The second derivative of gelu: φ(x)·(2 − x²).",
                      "take the second derivative of gelu of {}", keep(0) | keep_result);
  static constexpr double density = 0x1.9884533d43651p-2;  // 1/√(2π)
  template <class T>
  static T body(T x) {
    using E = typename T::Element;
    // √2 as the sum of two floats, each rounded to nearest.
    constexpr auto root = static_cast<E>(is_single<T> ? 0x1.6a09e6p+0 : 0x1.6a09e667f3bcdp+0);
    constexpr auto root_low = static_cast<E>(is_single<T> ? 0x1.9fcef4p-26 : -0x1.bdd3413b26456p-54);
    const T y = before(x, 40, 15.5), half = T(E(0.5)) * y, square = y * half;
    const T factor = ((T(root) - y) + T(root_low)) * (T(root) + y);
    return unless_nan(x, scaled_density(T(static_cast<E>(density)) * factor, square, fma(y, half, -square)));
  }
  // φ(x)·(x³ − 4x) as −x·f'' − 2x·φ(x).
  template <class E>
  static E partial(unsigned, const E* x, const E& y) {
    const E at = within_density(x[0]);
    return -(at * y) - density * 2.0 * at * E::template apply<Exp>(-0.5 * (at * at));
  }
  static constexpr PointwiseSample samples[] = {
      {"[0.0, 0.5, -1.0, 3.0]", "[0.7978845608028654, 0.6161143218375241, 0.24197072451914334, -0.03102293888356605]",
       "mpfr", 4, true},
      {"[inf, -inf, 1e300, nan]", "[-0.0, -0.0, -0.0, nan]"}};
};

using ErrorDerivatives = List<ErfDerivative, ErfSecondDerivative, GeluDerivative, GeluSecondDerivative>;

}  // namespace covec::ops
