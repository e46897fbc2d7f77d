// First and second derivatives of x ^ y. Each is a factor times x^(y − k), with y − k as two floats: rounding it once
// would put the result hundreds of units off. Start at PowerTerm.
#pragma once

#include "stdlib/ops/elementwise/bodies/functions.hpp"
#include "stdlib/ops/elementwise/bodies/integer_power.hpp"

namespace covec::ops {

// The parts of |x|^(y − k), in f64; `single` for results in f32.
template <bool single, class T>
struct PowerTerm {
  T base;
  T y;
  int k;
  Double<T> ln;  // of the base; of 0 and infinity ±infinity
  T product;     // (y − k)·ln
  T low;

  [[gnu::always_inline]] PowerTerm(T x, T exponent, int less) : base(magnitude(x)), y(exponent), k(less) {
    const auto regular = (base > T(0)) & (base < T(infinity<T>));
    const T inner = select(regular, base, T(1));
    if constexpr (single)
      ln = {short_logarithm(inner), T(0)};
    else
      ln = precise_logarithm(inner);
    ln.high = select(regular, ln.high, select(base == T(0), T(-infinity<T>), base));
    const T n = y - T(k), back = n - y;
    const T n_low = (y - (n - back)) - (T(k) + back);
    product = n * ln.high;
    low = fma(n, ln.high, -product) + fma(n_low, ln.high, n * ln.low);
  }

  // factor·|x|^(y − k), rounded once. Beyond `most` no factor brings the power back into the range.
  [[gnu::always_inline]] T times(T factor) const {
    // Exponent of e, with room: e^x is 0 or inf beyond ±104 (f32), ±745 (f64); chosen, not measured.
    constexpr double most = single ? 200 : 1400;
    const T result = rare(~(magnitude(product) < T(single ? 200 : 690)), usual(factor), [&] {
      const auto inside = magnitude(product) < T(most);
      const Scaled<T> parts = exponential(select(inside, product, T(0)), select(inside, low, T(0)));
      const auto power = small_integer(parts.shifted), half = shift_right(power, typename T::Integer(1));
      const T far = parts.mantissa * power_of_two<T>(half) * (factor * power_of_two<T>(power - half));
      const T above = select(product > T(0), factor * T(infinity<T>), product);
      const T beyond = select(product < T(0), signed_zero(factor), above);
      return select(inside, far, beyond);
    });
    return select(y == T(k), factor, result);
  }

 private:
  [[gnu::always_inline]] T usual(T factor) const {
    const Scaled<T> parts = exponential(product, low);
    return add_exponent(parts.mantissa, bits(parts.shifted)) * factor;
  }
  [[gnu::always_inline]] static Scaled<T> exponential(T high, T rest) {
    if constexpr (single)
      return short_exponential_parts(high);
    else
      return precise_exponential_parts(high, rest);
  }
};

// f(PowerTerm) with the sign that x^(y − k) has: of negative x only whole y give a number.
template <class T, class F>
[[gnu::always_inline]] inline T signed_power_term(T x, T y, int k, F f) {
  using I = typename T::Integer;
  T size(0);
  if constexpr (is_single<T>)
    size = convert<float>(f(PowerTerm<true, decltype(convert<double>(x))>(convert<double>(x), convert<double>(y), k)));
  else
    size = f(PowerTerm<false, T>(x, y, k));
  const auto whole = trunc(y) == y, odd = whole & (trunc(y * T(0.5)) != y * T(0.5));
  const auto negative = bits(x) < I(0), flips = k % 2 == 0 ? odd : whole & ~odd;
  const T result = select(negative & flips, -size, size);
  return select((x < T(0)) & (magnitude(x) < T(infinity<T>)) & ~whole, T(__builtin_nan("")), result);
}
// f(PowerTerm) where there is a logarithm of x: `at_zero` at 0, NaN below.
template <class T, class F>
[[gnu::always_inline]] inline T logarithmic_power_term(T x, T y, int k, T at_zero, F f) {
  const T result = signed_power_term(magnitude(x), y, k, f);
  return select(x == T(0), at_zero, select(x < T(0), T(__builtin_nan("")), result));
}

struct PowerSecondDerivative;
struct PowerMixedDerivative;
struct PowerLogSecondDerivative;

struct PowerDerivative {
  static constexpr PointwiseInfo info =
      derivative_info("pow_derivative", "The derivative of x ^ y by x: y·x^(y − 1).",
                      "take the derivative of {} to the power {}", keep(0) | keep(1), 2);
  template <class T>
  static T body(T x, T y) {
    const T first = signed_power_term(x, y, 1, [](const auto& power) { return power.times(power.y); });
    return select(y == T(0), T(0), first);
  }
  template <class E>
  static E partial(unsigned i, const E* x, const E&) {
    return i == 0 ? E::template apply<PowerSecondDerivative>(x[0], x[1])
                  : E::template apply<PowerMixedDerivative>(x[0], x[1]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[2.0, 9.0, 0.5], [0.5, -1.5, 3.25]", "[0.3535533905932738, -0.006172839506172839, 0.6832283373936431]", "mpfr",
       2, true},
      {"[-8.0, -8.0, 0.0, nan, 0.0, 0.0], [3.5, 3.0, -1.5, 0.0, 1.0, 2.0]", "[nan, 192.0, -inf, 0.0, 1.0, 0.0]"}};
};

// By y. Where x is 0 it is 0.
struct PowerLogDerivative {
  static constexpr PointwiseInfo info =
      derivative_info("pow_log_derivative", "The derivative of x ^ y by y: x^y·ln x.",
                      "take the derivative of {} to the power {}", keep(0) | keep(1), 2);
  template <class T>
  static T body(T x, T y) {
    const T first = logarithmic_power_term(x, y, 0, T(0), [](const auto& power) { return power.times(power.ln.high); });
    return select(x == T(1), T(0), first);
  }
  template <class E>
  static E partial(unsigned i, const E* x, const E&) {
    return i == 0 ? E::template apply<PowerMixedDerivative>(x[0], x[1])
                  : E::template apply<PowerLogSecondDerivative>(x[0], x[1]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[2.0, 9.0, 0.5], [0.5, -1.5, 3.25]", "[0.9802581434685472, 0.08137868804948961, -0.07285812242200965]", "mpfr",
       2, true},
      {"[0.0, -1.0, 1.0, inf], [2.0, 2.0, inf, -1.0]", "[0.0, nan, 0.0, 0.0]"}};
};

// y·(y − 1)·x^(y − 2).
struct PowerSecondDerivative {
  static constexpr PointwiseInfo info =
      derivative_info("pow_second_derivative", "The second derivative of x ^ y by x: y·(y − 1)·x^(y − 2).",
                      "take the second derivative of {} to the power {}", keep(0) | keep(1) | keep_result, 2);
  template <class T>
  static T body(T x, T y) {
    const T second = signed_power_term(
        x, y, 2, [](const auto& power) { return power.times(power.y * (power.y - decltype(power.y)(1))); });
    return select((y == T(0)) | (y == T(1)), T(0), second);
  }
  // By x: y·(y − 1)·(y − 2)·x^(y − 3); by y: (2y − 1)·x^(y − 2) + f''·ln x.
  template <class E>
  static E partial(unsigned i, const E* x, const E& y) {
    const E power = E::template apply<Power>(x[0], x[1] - 2.0);
    if (i == 0)
      return E::where(x[1] == 2.0, 0.0, x[1] * (x[1] - 1.0) * E::template apply<PowerDerivative>(x[0], x[1] - 2.0));
    return (2.0 * x[1] - 1.0) * power + y * E::template apply<Log>(x[0]);
  }
  static constexpr PointwiseSample samples[] = {
      {"[2.0, 9.0, 0.5], [0.5, -1.5, 3.25]", "[-0.08838834764831845, 0.0017146776406035665, 3.0745275182713936]",
       "mpfr", 4, true},
      {"[0.0, 0.0, -2.0, 0.0], [2.0, 1.0, 3.0, 3.0]", "[2.0, 0.0, -12.0, 0.0]"}};
};

// x^(y − 1)·(1 + y·ln x); where x is 0 the logarithm counts as nothing.
struct PowerMixedDerivative {
  static constexpr PointwiseInfo info =
      derivative_info("pow_mixed_derivative", "The derivative of x ^ y by x and y: x^(y − 1)·(1 + y·ln x).",
                      "take the second derivative of {} to the power {}", keep(0) | keep(1), 2);
  template <class T>
  static T body(T x, T y) {
    const T at_zero = select(y == T(1), T(1), select(y > T(1), T(0), T(infinity<T>)));
    return logarithmic_power_term(x, y, 1, at_zero, [](const auto& power) { return power.times(factor(power)); });
  }
  template <bool single, class T>
  static T factor(const PowerTerm<single, T>& power) {
    const T product = power.y * power.ln.high;
    const T low = fma(power.y, power.ln.high, -product) + power.y * power.ln.low;
    const T sum = T(1) + product, back = sum - T(1);
    const T result = sum + (((T(1) - (sum - back)) + (product - back)) + low);
    return select(result == result, result, sum);  // infinities have no low part
  }
  // By x: (2y − 1 + y·(y − 1)·ln x)·x^(y − 2); by y: (2 + y·ln x)·ln x·x^(y − 1).
  template <class E>
  static E partial(unsigned i, const E* x, const E&) {
    const E ln = E::template apply<Log>(x[0]);
    if (i == 0) {
      const E power = E::template apply<Power>(x[0], x[1] - 2.0);
      return (2.0 * x[1] - 1.0 + x[1] * (x[1] - 1.0) * ln) * power;
    }
    return (2.0 + x[1] * ln) * ln * E::template apply<Power>(x[0], x[1] - 1.0);
  }
  static constexpr PointwiseSample samples[] = {
      {"[2.0, 9.0, 0.5], [0.5, -1.5, 3.25]", "[0.9521713170536843, -0.009447888337466374, -0.2633536919296341]", "mpfr",
       4, true},
      {"[0.0, 0.0, -1.0], [2.0, 1.0, 2.0]", "[0.0, 1.0, nan]"}};
};

// x^y·ln²x.
struct PowerLogSecondDerivative {
  static constexpr PointwiseInfo info =
      derivative_info("pow_log_second_derivative", "The second derivative of x ^ y by y: x^y·ln²x.",
                      "take the second derivative of {} to the power {}", keep(0) | keep(1) | keep_result, 2);
  template <class T>
  static T body(T x, T y) {
    const T second = logarithmic_power_term(
        x, y, 0, T(0), [](const auto& power) { return power.times(power.ln.high * power.ln.high); });
    return select(x == T(1), T(0), second);
  }
  // By x: (2 + y·ln x)·ln x·x^(y − 1); by y: f''·ln x.
  template <class E>
  static E partial(unsigned i, const E* x, const E& y) {
    const E ln = E::template apply<Log>(x[0]);
    if (i == 1) return E::where(x[0] == 0.0, 0.0, y * ln);
    return (2.0 + x[1] * ln) * ln * E::template apply<Power>(x[0], x[1] - 1.0);
  }
  static constexpr PointwiseSample samples[] = {
      {"[2.0, 9.0, 0.5], [0.5, -1.5, 3.25]", "[0.6794631683661498, 0.17880725345371584, 0.050501402137707326]", "mpfr",
       4, true},
      {"[0.0, -1.0, 1.0], [2.0, 2.0, inf]", "[0.0, nan, 0.0]"}};
};

using PowerDerivatives = List<PowerDerivative, PowerLogDerivative, PowerSecondDerivative, PowerMixedDerivative,
                              PowerLogSecondDerivative, IntegerPowerDerivative, IntegerPowerSecondDerivative>;

}  // namespace covec::ops
