// The modified Bessel functions I₀ and I₁, and Iₙ(x)/xⁿ: the power series near 0, Hankel's asymptotic series far from
// it (Abramowitz and Stegun, 9.6.10 and 9.7.1).
#include "stdlib/ops/special/functions.hpp"
#include "stdlib/ops/special/real.hpp"

namespace covec::ops::special {

namespace {

constexpr int max_terms = 256;  // far more than either series has

// Up to where the power series of Iₙ is taken. From 24 on Hankel's least term, about e^−48, is below Real's rounding,
// 2^−64; the terms of a larger n shrink only later.
Real series_to(int n) { return 24 + n * n; }

constexpr int few = 4;  // orders that gradients meet first: their tables are kept

// 1/(k·(k + n)).
struct Reciprocals {
  Real numbers[few][max_terms];
  Reciprocals() {
    for (int n = 0; n < few; ++n) {
      for (int k = 1; k < max_terms; ++k) numbers[n][k] = 1 / (Real(k) * (k + n));
    }
  }
};

// The power series' sum, 1 + …, with 1/(k·(k + n)) by `reciprocal`.
template <class Reciprocal>
Real power_series(Real square, const Reciprocal& reciprocal) {
  Real term = 1, sum = 1;
  for (int k = 1; k < max_terms && term > sum * std::numeric_limits<Real>::epsilon(); ++k) {
    term *= square * reciprocal(k);
    sum += term;
  }
  return sum;
}

// Iₙ(x)/xⁿ = Σ (x²/4)ᵏ/(k!·(k + n)!)/2ⁿ.
Real quotient_by_series(int n, Real x) {
  static const Reciprocals table;
  const Real square = x * x / 4;
  Real scale = 0.5L;
  for (int k = 2; k <= n; ++k) scale /= 2 * k;
  if (n >= few) return scale * power_series(square, [=](int k) { return 1 / (Real(k) * (k + n)); });
  const Real* const known = table.numbers[n];
  const Real sum = power_series(square, [=](int k) { return known[k]; });
  return n == 0 ? sum : scale * sum;
}

// Σ (−1)ᵏ·(μ − 1)·(μ − 9)⋯/(k!·(8x)ᵏ) with μ = 4·n² to its smallest term, less its first one, which is 1.
Real asymptotic_less_one(int n, Real x) {
  const Real mu = 4 * n * n;
  Real term = 1, sum = 0;
  for (int k = 1; k < max_terms; ++k) {
    const Real odd = 2 * k - 1, next = term * (odd * odd - mu) / (k * 8 * x);
    if (std::abs(next) >= std::abs(term)) break;
    term = next;
    sum += term;
    if (std::abs(term) < std::abs(sum) * std::numeric_limits<Real>::epsilon()) break;
  }
  return sum;
}

// 1/(xⁿ·√(2πx)).
Real asymptotic_factor(int n, Real x) {
  Real below = std::sqrt(2 * pi * x);
  for (int k = 0; k < n; ++k) below *= x;
  return 1 / below;
}

// Iₙ(x)/xⁿ, with e^−|x| where `scaled`.
Real quotient(int n, double x, bool scaled) {
  const Real size = std::abs(static_cast<Real>(x));
  if (std::isnan(x)) return x;
  if (std::isinf(x)) return scaled ? 0 : infinite;
  if (size <= series_to(n)) {
    const Real value = quotient_by_series(n, size);
    return scaled ? value * std::exp(-size) : value;
  }
  const Real value = (1 + asymptotic_less_one(n, size)) * asymptotic_factor(n, size);
  return scaled ? value : value * std::exp(size);
}

}  // namespace

double bessel_i0(double x) { return static_cast<double>(quotient(0, x, false)); }
double bessel_i0e(double x) { return static_cast<double>(quotient(0, x, true)); }
double bessel_i1(double x) { return std::isinf(x) ? x : static_cast<double>(x * quotient(1, x, false)); }
double bessel_i1e(double x) { return std::isinf(x) ? 1 / x : static_cast<double>(x * quotient(1, x, true)); }

double bessel_quotient(double n, double x) { return static_cast<double>(quotient(static_cast<int>(n), x, false)); }
double bessel_quotient_scaled(double n, double x) {
  return static_cast<double>(quotient(static_cast<int>(n), x, true));
}

double bessel_gap(double n, double x) {
  const int order = static_cast<int>(n);
  const Real size = std::abs(static_cast<Real>(x));
  if (std::isnan(x)) return x;
  if (std::isinf(x)) return 0;
  if (size <= series_to(order + 1)) {
    const Real gap = quotient_by_series(order, size) - size * quotient_by_series(order + 1, size);
    return static_cast<double>(gap * std::exp(-size));
  }
  const Real gap = asymptotic_less_one(order, size) - asymptotic_less_one(order + 1, size);
  return static_cast<double>(gap * asymptotic_factor(order, size));
}

}  // namespace covec::ops::special
