// The derivatives of x ^ y, of any order by x and by y. Each is a factor times x^(y − k), with y − k as two floats:
// rounding it once would put the result hundreds of units off. Start at PowerFactor.
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
    // Exponent of e, with room: e^x is 0 or inf beyond ±104 (f32), ±745 (f64).
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
// a + b, with what the sum loses.
template <class T>
[[gnu::always_inline]] inline Double<T> double_sum(const Double<T>& a, T b) {
  const T sum = a.high + b, back = sum - a.high;
  return {sum, ((a.high - (sum - back)) + (b - back)) + a.low};
}

// The derivatives of x ^ y, k times by x and j times by y: x^(y − k)·Σ C(j, i)·P⁽ⁱ⁾(y)·(ln x)ʲ⁻ⁱ with
// P(y) = y·(y − 1)⋯(y − k + 1). Where x is 0, ln x counts as 0.
struct PowerFactor {
  static constexpr int most = 127;  // of k, as `packed` has it: gradients are never nested so deep

  template <class T>
  [[gnu::always_inline]] static T derivative(T x, T y, int k, int j) {
    if (j == 0) {
      const T result = signed_power_term(x, y, k, [k](const auto& power) { return power.times(falling(power, k)); });
      if (k == 1) return select(y == T(0), T(0), result);
      return select((trunc(y) == y) & (y >= T(0)) & (y < T(static_cast<typename T::Element>(k))), T(0), result);
    }
    const T result = signed_power_term(magnitude(x), y, k, [k, j](const auto& power) {
      const auto factor = logarithmic(power, k, j);
      return select(factor == decltype(factor)(0), decltype(factor)(0), power.times(factor));
    });
    return select(x < T(0), T(__builtin_nan("")), result);
  }

 private:
  // P(y).
  template <bool single, class T>
  [[gnu::always_inline]] static T falling(const PowerTerm<single, T>& power, int k) {
    T product = power.y;
    for (int i = 1; i < k; ++i) product = product * (power.y - T(i));
    return product;
  }
  // The sum over i, by Horner's rule in ln x. With P it keeps the rounding errors, for its terms may cancel.
  template <bool single, class T>
  [[gnu::always_inline]] static T logarithmic(const PowerTerm<single, T>& power, int k, int j) {
    const Double<T> ln{select(power.base == T(0), T(0), power.ln.high), power.ln.low};
    if (k == 0) {
      T product = ln.high;
      for (int i = 1; i < j; ++i) product = product * ln.high;
      return product;
    }
    double p[most + 1] = {1};  // P's coefficients
    for (int m = 0; m < k; ++m) {
      for (int i = m + 1; i > 0; --i) p[i] = p[i - 1] - m * p[i];
      p[0] *= -m;
    }
    const auto value = [&](int degree) {
      T sum(p[degree]);
      for (int i = degree - 1; i >= 0; --i) sum = fma(sum, power.y, T(p[i]));
      return sum;
    };
    Double<T> sum{value(k), T(0)};
    for (int i = 1; i <= j; ++i) {
      for (int m = 0; m <= k - i; ++m) p[m] = p[m + 1] * (m + 1) * (j - i + 1) / i;
      sum = double_product(sum, ln);
      if (i <= k) sum = double_sum(sum, value(k - i));
    }
    return rounded(sum);
  }
};

// Powers of any orders. The first derivatives are operators of their own, which are faster.
struct PowerHigherDerivative {
  static constexpr PointwiseInfo info{.name = "pow_higher_derivative",
                                      .doc =
                                          "A derivative of x ^ y, k times by x and j times by y; the last operand "
                                          "is k + 256·j.",
                                      .parameters = {"x", "y", "k_and_j"},
                                      .arity = 3,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0) | keep(1) | keep(2),
                                      .action = "take a derivative of {} to the power {}",
                                      .internal = true,
                                      .parameter = true};
  template <class T>
  static T body(T x, T y, int64_t k_and_j) {
    return PowerFactor::derivative(x, y, static_cast<int>(first_packed(k_and_j)),
                                   static_cast<int>(second_packed(k_and_j)));
  }
  // The derivative by operand i of the one with these orders.
  template <class E>
  static E next(unsigned i, const E* x, int64_t k_and_j) {
    return E::template apply<PowerHigherDerivative>(x[0], x[1],
                                                    E::literal(k_and_j + (i == 0 ? packed(1, 0) : packed(0, 1))));
  }
  template <class E>
  static E partial(unsigned i, const E* x, const E&) {
    return next(i, x, x[2].integer());
  }
  static constexpr PointwiseSample samples[] = {
      {"[2.0, 9.0, 0.5], [0.5, -1.5, 3.25], 2 + 256 * 0",
       "[-0.08838834764831845, 0.0017146776406035665, 3.0745275182713936]", "mpfr", 4, true},
      {"[0.0, 0.0, -2.0, 0.0], [2.0, 1.0, 3.0, 3.0], 2 + 256 * 0", "[2.0, 0.0, -12.0, 0.0]"},
      {"[2.0, 9.0, 0.5], [0.5, -1.5, 3.25], 1 + 256 * 1",
       "[0.9521713170536843, -0.009447888337466374, -0.2633536919296341]", "mpfr", 4, true},
      {"[0.0, 0.0, -1.0], [2.0, 1.0, 2.0], 1 + 256 * 1", "[0.0, 1.0, nan]"},
      {"[2.0, 9.0, 0.5], [0.5, -1.5, 3.25], 0 + 256 * 2",
       "[0.6794631683661498, 0.17880725345371584, 0.050501402137707326]", "mpfr", 4, true},
      {"[0.0, -1.0, 1.0], [2.0, 2.0, inf], 0 + 256 * 2", "[0.0, nan, 0.0]"},
      {"[0.0, 0.0, 0.0, -2.0, 0.0], [3.0, 1.0, 2.0, 4.0, 2.5], 3 + 256 * 0", "[6.0, 0.0, 0.0, -48.0, inf]"},
      {"[1.5, 0.5], [2.0, 3.0], 3 + 256 * 1", "[1.3333333333333333, 6.841116916640328]", "mpmath", 4, true}};
};

struct PowerDerivative {
  static constexpr PointwiseInfo info =
      derivative_info("pow_derivative", "The derivative of x ^ y by x: y·x^(y − 1).",
                      "take the derivative of {} to the power {}", keep(0) | keep(1), 2);
  template <class T>
  static T body(T x, T y) {
    return PowerFactor::derivative(x, y, 1, 0);
  }
  template <class E>
  static E partial(unsigned i, const E* x, const E&) {
    return PowerHigherDerivative::next(i, x, packed(1, 0));
  }
  static constexpr PointwiseSample samples[] = {
      {"[2.0, 9.0, 0.5], [0.5, -1.5, 3.25]", "[0.3535533905932738, -0.006172839506172839, 0.6832283373936431]", "mpfr",
       2, true},
      {"[-8.0, -8.0, 0.0, nan, 0.0, 0.0], [3.5, 3.0, -1.5, 0.0, 1.0, 2.0]", "[nan, 192.0, -inf, 0.0, 1.0, 0.0]"}};
};

struct PowerLogDerivative {
  static constexpr PointwiseInfo info =
      derivative_info("pow_log_derivative", "The derivative of x ^ y by y: x^y·ln x.",
                      "take the derivative of {} to the power {}", keep(0) | keep(1), 2);
  template <class T>
  static T body(T x, T y) {
    return PowerFactor::derivative(x, y, 0, 1);
  }
  template <class E>
  static E partial(unsigned i, const E* x, const E&) {
    return PowerHigherDerivative::next(i, x, packed(0, 1));
  }
  static constexpr PointwiseSample samples[] = {
      {"[2.0, 9.0, 0.5], [0.5, -1.5, 3.25]", "[0.9802581434685472, 0.08137868804948961, -0.07285812242200965]", "mpfr",
       2, true},
      {"[0.0, -1.0, 1.0, inf], [2.0, 2.0, inf, -1.0]", "[0.0, nan, 0.0, 0.0]"}};
};

// A complex power zʷ at z = 0, as a function of the parts of z, which are not looked at: its derivative, k times by z,
// is k! where w is k, 0 where w is larger or whole, and else infinite, as that of a real power. Each derivative by the
// imaginary part multiplies by i; the real part of iʲ times that is what an engine computes with.
struct PowerAtZero {
  static constexpr PointwiseInfo info{.name = "complex_power_at_zero",
                                      .doc =
                                          "The real part of i^j times the k-th derivative of z^w at z = 0; the last "
                                          "operand is k + 256·j.",
                                      .parameters = {"re", "im", "w", "k_and_j"},
                                      .arity = 4,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0) | keep(1) | keep(2) | keep(3),
                                      .action = "raise {} and {} to the power {}",
                                      .internal = true,
                                      .parameter = true};
  template <class T>
  static T body(T, T, T w, int64_t k_and_j) {
    using E = typename T::Element;
    const int64_t k = first_packed(k_and_j), turns = second_packed(k_and_j) & 3;
    const double sign = turns == 0 ? 1 : turns == 2 ? -1 : 0;
    const T up(static_cast<E>(sign == 0 ? 0 : sign * infinity<T>)),
        down(static_cast<E>(sign == 0 ? 0 : -sign * infinity<T>));
    T factor = w;
    for (int64_t m = 1; m < k; ++m) factor = factor * (w - T(static_cast<E>(m)));
    const T less = select(factor == T(0), T(0), select(factor > T(0), up, down));
    const T order(static_cast<E>(k)), others = select(w > order, T(0), select(w >= T(0), less, T(__builtin_nan(""))));
    return select(w == order, T(static_cast<E>(sign * falling_factorial(k, k))), others);
  }
  template <class E>
  static E partial(unsigned i, const E* x, const E&) {
    if (i == 2) return E::number(x[0], 0.0);
    return E::template apply<PowerAtZero>(x[0], x[1], x[2], E::literal(x[3].integer() + packed(1, i == 0 ? 0 : 1)));
  }
  static constexpr PointwiseSample samples[] = {
      {"0.0, 0.0, [0.0, 2.0, 0.5, -1.0], 0 + 256 * 0", "[1.0, 0.0, 0.0, nan]"},
      {"0.0, 0.0, [0.0, 1.0, 2.0, 0.5, 2.5], 2 + 256 * 2", "[0.0, 0.0, -2.0, inf, 0.0]"}};
};

using PowerDerivatives =
    List<PowerDerivative, PowerLogDerivative, PowerHigherDerivative, IntegerPowerDerivative, PowerAtZero>;

}  // namespace covec::ops
