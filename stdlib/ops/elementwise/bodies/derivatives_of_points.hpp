// First and second derivatives of hypot and atan2 by the coordinates of a point. They are quotients of the coordinates
// and the point's distance r from the origin, for coordinates of all sizes. Start at HypotDerivative and
// AngleDerivative.
#pragma once

#include "stdlib/ops/elementwise/bodies/roots.hpp"

namespace covec::ops {

// The point divided by 2^power, a number near its larger coordinate: the smaller one may vanish beside it.
template <class T>
struct ScaledPoint {
  T a;
  T b;
  typename T::Integer power;
};
template <class T>
[[gnu::always_inline]] inline ScaledPoint<T> scaled_point(T a, T b) {
  using E = typename T::Element;
  using I = typename T::Integer;
  constexpr E up = is_single<T> ? 0x1p50 : 0x1p400;
  constexpr int up_power = is_single<T> ? 50 : 400;  // of 2, as in `up`: it makes subnormal numbers (IEEE 754) normal
  const auto small = (magnitude(a) < T(1)) & (magnitude(b) < T(1));
  const T raise = select(small, T(up), T(1));
  const T x = a * raise, y = b * raise;
  const T most = select(magnitude(x) > magnitude(y), magnitude(x), magnitude(y));
  const I power = shift_right_logical(bits(most), I(Layout<T>::fraction)) - I(Layout<T>::bias);
  // In two steps: 2^−power itself may be beyond the normal numbers.
  const I half = shift_right(power, I(1));
  const T first = power_of_two<T>(-half), second = power_of_two<T>(half - power);
  return {x * first * second, y * first * second, power - select(small, I(up_power), I(0))};
}
// value·2^−times·power, times 1 or 2; overflowing and underflowing with one rounding.
template <class T>
[[gnu::always_inline]] inline T unscaled(T value, typename T::Integer power, int times) {
  using I = typename T::Integer;
  constexpr auto most = typename I::Element(2 * Layout<T>::bias - 2);
  const I n = times == 1 ? -power : -power - power;
  return scale_by_power(value, select(n > I(most), I(most), select(n < I(-most), I(-most), n)));
}

template <class T>
[[gnu::always_inline]] inline auto is_usual_point(T a, T b) {
  using E = typename T::Element;
  constexpr E small = is_single<T> ? 0x1p-30 : 0x1p-240, large = is_single<T> ? 0x1p30 : 0x1p240;
  const T x = magnitude(a), y = magnitude(b);
  return ((x > T(small)) | (y > T(small))) & (x < T(large)) & (y < T(large));
}
// Where one coordinate is infinite, and none is NaN: `value`.
template <class T>
[[gnu::always_inline]] inline T far_out(T a, T b, T value, T result) {
  const auto infinite = (magnitude(a) == T(infinity<T>)) | (magnitude(b) == T(infinity<T>));
  return select(infinite & (a == a) & (b == b), value, result);
}

struct HypotSecondDerivative;
struct HypotMixedDerivative;

// Whether the point is the origin, where `hypot` has a kink: its derivatives there are 0, as those of `norm` and `abs`.
template <class T>
[[gnu::always_inline]] inline auto is_origin(T a, T b) {
  return (a == T(0)) & (b == T(0));
}

// a/r.
struct HypotDerivative {
  static constexpr PointwiseInfo info =
      derivative_info("hypot_derivative", "The derivative of hypot(x, y) by x: x/√(x² + y²).",
                      "take the derivative of hypot of {} and {}", keep(0) | keep(1), 2);
  template <class T>
  static T body(T a, T b) {
    return rare(~is_usual_point(a, b), a / length_of(a, b), [=] {
      const ScaledPoint<T> p = scaled_point(a, b);
      const T one_infinite = select(magnitude(a) < T(infinity<T>), signed_zero(a), select(a < T(0), T(-1), T(1)));
      const auto both = (magnitude(a) == T(infinity<T>)) & (magnitude(b) == T(infinity<T>));
      const T quotient = far_out(a, b, select(both, T(__builtin_nan("")), one_infinite), p.a / length_of(p.a, p.b));
      return select(is_origin(a, b), T(0), quotient);
    });
  }
  template <class E>
  static E partial(unsigned i, const E* x, const E&) {
    return i == 0 ? E::template apply<HypotSecondDerivative>(x[0], x[1])
                  : E::template apply<HypotMixedDerivative>(x[0], x[1]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[3.0, -1.0, 0.5], [4.0, 2.0, 0.25]", "[0.6, -0.4472135954999579, 0.8944271909999159]", "mpfr", 2, true},
      {"[0.0, inf, 1.0, nan, 3e300, 1e-320], [0.0, 1.0, inf, 1.0, 4e300, 1e-320]",
       "[0.0, 1.0, 0.0, nan, 0.6, 0.7071067811865475]", "mpfr", 1}};
};

// b²/r³, each b with half of the scale, so that no square leaves the range before its quotient.
struct HypotSecondDerivative {
  static constexpr PointwiseInfo info =
      derivative_info("hypot_second_derivative", "The second derivative of hypot(x, y) by x: y²/(x² + y²)^1.5.",
                      "take the second derivative of hypot of {} and {}", keep(0) | keep(1) | keep_result, 2);
  template <class T>
  static T body(T a, T b) {
    const ScaledPoint<T> p = scaled_point(a, b);
    const T r = length_of(p.a, p.b);
    return select(is_origin(a, b), T(0), far_out(a, b, T(0), halves(p.b / r, p.b / r / r, p)));
  }
  // The distance as a divisor: 1 at the origin, where what is divided is 0.
  template <class E>
  static E off_origin(const E& r) {
    return E::where(r == 0.0, 1.0, r);
  }
  // s·t·2^−power.
  template <class T>
  static T halves(T s, T t, const ScaledPoint<T>& p) {
    using I = typename T::Integer;
    const I half = shift_right(p.power, I(1));
    return (s * power_of_two<T>(-half)) * (t * power_of_two<T>(half - p.power));
  }
  template <class E>
  static E partial(unsigned i, const E* x, const E& y) {
    const E r = off_origin(E::template apply<Hypot>(x[0], x[1])), up = E::template apply<HypotDerivative>(x[1], x[0]);
    if (i == 0) return -3.0 * E::template apply<HypotDerivative>(x[0], x[1]) * y / r;
    return up * (2.0 - 3.0 * up * up) / r / r;
  }
  static constexpr PointwiseSample samples[] = {
      {"[3.0, -1.0, 0.5], [4.0, 2.0, 0.25]", "[0.128, 0.35777087639996635, 0.35777087639996635]", "mpfr", 6, true},
      {"[0.0, inf, 1.0, nan, 1e-300], [0.0, 1.0, inf, 1.0, 1e-300]", "[0.0, 0.0, 0.0, nan, 3.5355339059327374e+299]",
       "mpfr", 6}};
};

// −xy/r³.
struct HypotMixedDerivative {
  static constexpr PointwiseInfo info =
      derivative_info("hypot_mixed_derivative", "The derivative of hypot(x, y) by x and y: −xy/(x² + y²)^1.5.",
                      "take the second derivative of hypot of {} and {}", keep(0) | keep(1), 2);
  template <class T>
  static T body(T a, T b) {
    const ScaledPoint<T> p = scaled_point(a, b);
    const T r = length_of(p.a, p.b);
    return select(is_origin(a, b), T(0), far_out(a, b, T(0), -HypotSecondDerivative::halves(p.a / r, p.b / r / r, p)));
  }
  // t·(3s² − 1)/r², with s the slope by the operand and t that by the other.
  template <class E>
  static E partial(unsigned i, const E* x, const E&) {
    const E r = HypotSecondDerivative::off_origin(E::template apply<Hypot>(x[0], x[1]));
    const E s = E::template apply<HypotDerivative>(x[i], x[1 - i]),
            t = E::template apply<HypotDerivative>(x[1 - i], x[i]);
    return t * (3.0 * s * s - 1.0) / r / r;
  }
  static constexpr PointwiseSample samples[] = {
      {"[3.0, -1.0, 0.5], [4.0, 2.0, 0.25]", "[-0.096, 0.17888543819998318, -0.7155417527999327]", "mpfr", 6, true},
      {"[0.0, inf, 1.0, nan], [0.0, 1.0, inf, 1.0]", "[0.0, 0.0, 0.0, nan]"}};
};

struct AngleSecondDerivative;
struct AngleMixedDerivative;

// x/r². With z = x + iy it is the real part of 1/z; the following ones are of −1/z² and 1/z².
struct AngleDerivative {
  static constexpr PointwiseInfo info =
      derivative_info("angle_derivative", "x/(x² + y²), of which the derivatives of atan2 are made.",
                      "take the derivative of atan2 of {} and {}", keep(0) | keep(1), 2);
  template <class T>
  static T body(T a, T b) {
    return rare(~is_usual_point(a, b), a / fma(a, a, b * b), [=] {
      const ScaledPoint<T> p = scaled_point(a, b);
      return far_out(a, b, signed_zero(a), unscaled(p.a / fma(p.a, p.a, p.b * p.b), p.power, 1));
    });
  }
  template <class E>
  static E partial(unsigned i, const E* x, const E&) {
    return i == 0 ? E::template apply<AngleSecondDerivative>(x[0], x[1])
                  : E::template apply<AngleMixedDerivative>(x[0], x[1]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[1.0, -1.0, 1.0, 0.25], [2.0, 2.0, -2.0, 4.0]", "[0.2, -0.2, 0.2, 0.01556420233463035]", "mpfr", 2, true},
      {"[0.0, inf, -1.0, nan, 1e200, 1e-300], [0.0, 1.0, inf, 1.0, 1e200, 1e-300]",
       "[nan, 0.0, -0.0, nan, 5e-201, 5e+299]", "mpfr", 1}};
};

// (y − x)(y + x)/r⁴.
struct AngleSecondDerivative {
  static constexpr PointwiseInfo info = derivative_info(
      "angle_second_derivative", "(y² − x²)/(x² + y²)², of which the second derivatives of atan2 are made.",
      "take the second derivative of atan2 of {} and {}", keep(0) | keep(1) | keep_result, 2);
  template <class T>
  static T body(T a, T b) {
    const ScaledPoint<T> p = scaled_point(a, b);
    const T square = fma(p.a, p.a, p.b * p.b);
    return far_out(a, b, T(0), unscaled((p.b - p.a) * (p.b + p.a) / (square * square), p.power, 2));
  }
  template <class E>
  static E partial(unsigned i, const E* x, const E& y) {
    const E across = E::template apply<AngleDerivative>(x[0], x[1]),
            up = E::template apply<AngleDerivative>(x[1], x[0]);
    const E mixed = E::template apply<AngleMixedDerivative>(x[0], x[1]);
    return i == 0 ? 2.0 * (up * mixed - across * y) : -2.0 * (across * mixed + up * y);
  }
  static constexpr PointwiseSample samples[] = {
      {"[1.0, -1.0, 1.0, 0.25], [2.0, 2.0, -2.0, 4.0]", "[0.12, 0.12, 0.12, 0.06201577612075517]", "mpfr", 6, true},
      {"[0.0, inf, -1.0, nan], [0.0, 1.0, inf, 1.0]", "[nan, 0.0, 0.0, nan]"}};
};

// −2xy/r⁴.
struct AngleMixedDerivative {
  static constexpr PointwiseInfo info =
      derivative_info("angle_mixed_derivative", "−2xy/(x² + y²)², of which the second derivatives of atan2 are made.",
                      "take the second derivative of atan2 of {} and {}", keep(0) | keep(1) | keep_result, 2);
  template <class T>
  static T body(T a, T b) {
    const ScaledPoint<T> p = scaled_point(a, b);
    const T square = fma(p.a, p.a, p.b * p.b);
    return far_out(a, b, T(0), unscaled(T(-2) * p.a * p.b / (square * square), p.power, 2));
  }
  template <class E>
  static E partial(unsigned i, const E* x, const E& y) {
    const E across = E::template apply<AngleDerivative>(x[0], x[1]),
            up = E::template apply<AngleDerivative>(x[1], x[0]);
    const E second = E::template apply<AngleSecondDerivative>(x[0], x[1]);
    return i == 0 ? -2.0 * (across * y + up * second) : 2.0 * (across * second - up * y);
  }
  static constexpr PointwiseSample samples[] = {
      {"[1.0, -1.0, 1.0, 0.25], [2.0, 2.0, -2.0, 4.0]", "[-0.16, 0.16, 0.16, -0.007751972015094396]", "mpfr", 6, true},
      {"[0.0, inf, -1.0, nan], [0.0, 1.0, inf, 1.0]", "[nan, 0.0, 0.0, nan]"}};
};

using PointDerivatives = List<HypotDerivative, HypotSecondDerivative, HypotMixedDerivative, AngleDerivative,
                              AngleSecondDerivative, AngleMixedDerivative>;

}  // namespace covec::ops
