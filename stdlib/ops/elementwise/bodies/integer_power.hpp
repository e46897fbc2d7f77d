// x ^ n for a literal n, by repeated squaring, and its derivatives. From the fifth power on, squares of floats keep
// their rounding errors; otherwise the result would be several units in the last place off. Start at IntegerPower.
#pragma once

#include "stdlib/ops/elementwise/bodies/power.hpp"

namespace covec::ops {

// |n| as the number of factors.
[[gnu::always_inline]] constexpr uint64_t factors_of(int64_t n) {
  return n < 0 ? 0 - static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
}

// x^n for n ≥ 1, right to left over n's bits.
template <class T>
[[gnu::always_inline]] inline T plain_power(T x, uint64_t n) {
  T result = x;
  while ((n & 1) == 0) {
    result = result * result;
    n >>= 1;
  }
  T square = result;
  while ((n >>= 1) != 0) {
    square = square * square;
    if (n & 1) result = result * square;
  }
  return result;
}

template <class T>
[[gnu::always_inline]] inline Double<T> double_product(const Double<T>& a, const Double<T>& b) {
  const T high = a.high * b.high;
  return {high, fma(a.high, b.high, -high) + fma(a.high, b.low, a.low * b.high)};
}
// Rounded; the low part of an infinity is none, that of −0 would make it +0.
template <class T>
[[gnu::always_inline]] inline T rounded(const Double<T>& a) {
  const T sum = a.high + a.low;
  return select((magnitude(a.low) > T(0)) & (sum == sum), sum, a.high);
}

template <class T>
[[gnu::always_inline]] inline Double<T> double_power(T x, uint64_t n) {
  Double<T> square{x, T(0)};
  for (; (n & 1) == 0; n >>= 1) square = double_product(square, square);
  Double<T> result = square;
  while ((n >>= 1) != 0) {
    square = double_product(square, square);
    if (n & 1) result = double_product(result, square);
  }
  return result;
}

// x^n for n ≥ 2 as a product of two powers alike, so that a third factor can come between before it leaves the range.
template <class T>
struct PowerFactors {
  Double<T> first;
  Double<T> second;
};
template <class T>
[[gnu::always_inline]] inline PowerFactors<T> power_factors(T x, uint64_t n) {
  const Double<T> half = double_power(x, n / 2);
  if (n % 2 == 0) return {half, half};
  return {half, double_product(half, {x, T(0)})};
}

struct IntegerPowerDerivative;

// The last operand is the number n itself.
struct IntegerPower {
  static constexpr PointwiseInfo info{.name = "integer_power",
                                      .doc = "`x ^ n` by repeated squaring; the reciprocal of it for a negative n.",
                                      .parameters = {"x", "n"},
                                      .arity = 2,
                                      .types = TypeClass::numeric,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0) | keep(1),
                                      .action = "raise {} to the power {}",
                                      .internal = true,
                                      .parameter = true,
                                      .ulp = 2,
                                      .first_ulp = 3,
                                      .second_ulp = 4};
  template <class T>
  static T body(T x, int64_t n) {
    const uint64_t factors = factors_of(n);
    if (factors == 0) return T(1);
    if constexpr (T::is_float) {
      const T power = factors <= 4 ? plain_power(x, factors) : precise(x, factors);
      return n < 0 ? T(1) / power : power;
    } else {
      return plain_power(x, factors);
    }
  }
  template <class T>
  static T precise(T x, uint64_t factors) {
    const PowerFactors<T> f = power_factors(x, factors);
    return rounded(double_product(f.first, f.second));
  }
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    const int64_t n = x[1].integer();
    if (n == 0 || n == 1) return E::number(x[0], static_cast<double>(n));
    if (n == 2) return E::literal(n) * x[0];
    return E::template apply<IntegerPowerDerivative>(x[0], E::literal(packed(n, 1)));
  }
  static constexpr PointwiseSample samples[] = {{"[1.5, -2.0], 3", "[3.375, -8.0]", "numpy", 0, true},
                                                {"[2.0, 4.0], -2", "[0.25, 0.0625]", "numpy", 0, true},
                                                {"[0.3, inf, -inf, nan], 5", "[0.00243, inf, -inf, nan]", "mpfr", 1},
                                                {"[3, -1], 5", "[243, -1]"}};
};

// c·x^m.
template <class T>
[[gnu::always_inline]] inline T times_power(double c, T x, int64_t m) {
  using E = typename T::Element;
  const T factor(static_cast<E>(c));
  if (m == 0) return factor;
  if (m == 1) return factor * x;
  if (m == -1) return factor / x;
  const uint64_t factors = factors_of(m);
  const PowerFactors<T> f = power_factors(x, factors);
  const T first = factors <= 4 ? f.first.high : rounded(f.first);
  const T second = factors <= 4 ? f.second.high : rounded(f.second);
  return m > 0 ? factor * first * second : factor / first / second;
}

// n·(n − 1)⋯(n − k + 1), the factor in the k-th derivative of xⁿ.
constexpr double falling_factorial(int64_t n, int64_t k) {
  double product = 1;
  for (int64_t i = 0; i < k; ++i) product *= static_cast<double>(n - i);
  return product;
}

struct IntegerPowerDerivative {
  static constexpr PointwiseInfo info{.name = "integer_power_derivative",
                                      .doc = "The k-th derivative of `x ^ n`; the last operand is n + 256·k.",
                                      .parameters = {"x", "n_and_k"},
                                      .arity = 2,
                                      .types = TypeClass::floating,
                                      .gradient = Gradient::partial,
                                      .keeps = keep(0) | keep(1),
                                      .action = "take a derivative of a power of {}",
                                      .internal = true,
                                      .parameter = true};
  template <class T>
  static T body(T x, int64_t n_and_k) {
    const int64_t n = first_packed(n_and_k), k = second_packed(n_and_k);
    return times_power(falling_factorial(n, k), x, n - k);
  }
  // From k = n + 1 on it is 0, everywhere.
  template <class E>
  static E partial(unsigned, const E* x, const E&) {
    const int64_t n = first_packed(x[1].integer()), next = second_packed(x[1].integer()) + 1;
    if (falling_factorial(n, next) == 0) return E::number(x[0], 0.0);
    return E::template apply<IntegerPowerDerivative>(x[0], E::literal(packed(n, next)));
  }
  static constexpr PointwiseSample samples[] = {{"[1.5, -2.0], 3 + 256 * 1", "[6.75, 12.0]", "numpy", 0, true},
                                                {"[2.0, 4.0], -2 + 256 * 1", "[-0.25, -0.03125]", "numpy", 0, true},
                                                {"[0.0, inf, nan], 16 + 256 * 1", "[0.0, inf, nan]"},
                                                {"[1.5, -2.0], 3 + 256 * 2", "[9.0, -12.0]", "numpy", 0, true},
                                                {"[2.0, 4.0], -2 + 256 * 2", "[0.375, 0.0234375]", "numpy", 0, true},
                                                {"[0.0, 2.0, nan], 3 + 256 * 3", "[6.0, 6.0, 6.0]"}};
};

}  // namespace covec::ops
