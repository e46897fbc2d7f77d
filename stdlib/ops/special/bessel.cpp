// The modified Bessel functions I₀ and I₁: the power series up to 24, Hankel's asymptotic series beyond (Abramowitz and
// Stegun, 9.6.10 and 9.7.1).
#include "stdlib/ops/special/functions.hpp"
#include "stdlib/ops/special/real.hpp"

namespace covec::ops::special {

namespace {

constexpr double series_to = 24;  // of |x|; then Hankel's least term, about e^−48, is below Real's rounding, 2^−64
constexpr int max_terms = 64;     // at 24 later ones of the power series are below Real's rounding

// 1/(k·(k + order)).
struct Reciprocals {
  Real numbers[2][max_terms];
  Reciprocals() {
    for (int order = 0; order < 2; ++order) {
      for (int k = 1; k < max_terms; ++k) numbers[order][k] = 1 / (Real(k) * (k + order));
    }
  }
};

// Σ (x²/4)ᵏ/(k!·(k + order)!).
Real series(int order, Real x) {
  static const Reciprocals table;
  const Real square = x * x / 4;
  Real term = 1, sum = 1;
  for (int k = 1; k < max_terms && term > sum * std::numeric_limits<Real>::epsilon(); ++k) {
    term *= square * table.numbers[order][k];
    sum += term;
  }
  return sum;
}

// Σ (−1)ᵏ·(μ − 1)·(μ − 9)⋯/(k!·(8x)ᵏ) with μ = 4·order² to its smallest term, less its first one, which is 1.
Real asymptotic_less_one(int order, Real x) {
  const Real mu = 4 * order * order;
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

// I of |x|, with e^−|x| where `scaled`.
double bessel(int order, double x, bool scaled) {
  const Real size = std::abs(static_cast<Real>(x));
  if (std::isnan(x)) return x;
  if (std::isinf(x)) return scaled ? 0 : infinite;
  if (size <= series_to) {
    const Real value = series(order, size) * (order == 1 ? size / 2 : Real(1));
    return static_cast<double>(scaled ? value * std::exp(-size) : value);
  }
  const Real value = (1 + asymptotic_less_one(order, size)) / std::sqrt(2 * pi * size);
  return static_cast<double>(scaled ? value : value * std::exp(size));
}

}  // namespace

double bessel_i0(double x) { return bessel(0, x, false); }
double bessel_i0e(double x) { return bessel(0, x, true); }
double bessel_i1(double x) { return std::copysign(bessel(1, x, false), x); }
double bessel_gap(double x) {
  const Real size = std::abs(static_cast<Real>(x));
  if (std::isnan(x)) return x;
  if (std::isinf(x)) return 0;
  if (size <= series_to) return static_cast<double>((series(0, size) - series(1, size) * size / 2) * std::exp(-size));
  const Real gap = asymptotic_less_one(0, size) - asymptotic_less_one(1, size);
  return static_cast<double>(gap / std::sqrt(2 * pi * size));
}
double bessel_i1e(double x) { return std::copysign(bessel(1, x, true), x); }

}  // namespace covec::ops::special
