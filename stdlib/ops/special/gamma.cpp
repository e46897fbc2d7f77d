// The incomplete gamma functions. If x is small relative to a, it uses the power series of P. If x is large, it uses
// Legendre's continued fraction of Q (Abramowitz and Stegun, 6.5.29 and 6.5.31). Both are multiplied by the common
// factor, in Loader's saddle point form ("Fast and accurate computation of binomial probabilities", 2000). For small a,
// Q may be small although x is too; then it uses a series of Q itself (Gautschi, "A computational procedure for
// incomplete gamma functions", 1979). If a is large, the tail beyond x is integrated. Values that depend only on the
// shape are kept between calls with the same shape.
#include <algorithm>

#include "stdlib/ops/special/functions.hpp"
#include "stdlib/ops/special/real.hpp"

namespace covec::ops::special {

namespace {

// Shapes: up to small_shape Q has a series, below few_shape the factor is computed plainly, from large_shape on the
// tail is integrated.
constexpr double small_shape = 0.5, few_shape = 16, large_shape = 2000;
constexpr Real epsilon = std::numeric_limits<Real>::epsilon();

// xᵃ·e⁻ˣ/Γ(a + 1).
Real factor(const GammaShape& shape, double x) {
  const Real a = shape.a, at = x;
  if (shape.a < few_shape) return exponential(a * logarithm(x) - at - shape.constant);
  const Real off = a * log_ratio_less(at, a, (at - a) / a);
  return exponential(off - shape.constant);
}

// 1 + x/(a + 1) + x²/((a + 1)·(a + 2)) + …, two terms a pass: one division, which does not wait for the term.
Real series(Real a, Real x) {
  Real term = 1, sum = 1;
  for (Real at = a + 1; term > epsilon * sum; at += 2) {
    const Real ratio = x / (at * (at + 1));
    sum += term * (ratio * (at + 1 + x));
    term *= ratio * x;
  }
  return sum;
}

// Γ(a)·Q/(xᵃ⁻¹·e⁻ˣ) for a whole a: 1 + (a − 1)/x·(1 + (a − 2)/x·(1 + …)).
Real finite_sum(double a, Real x) {
  const Real inverse = 1 / x;
  Real sum = 1;
  for (double k = 1; k < a; k += 1) sum = 1 + k * inverse * sum;
  return sum;
}

// 1/(x + 1 − a − 1·(1 − a)/(x + 3 − a − …)) by the recurrence of numerators and denominators, up to where the product
// of the coefficients says that two convergents are the same.
Real fraction(Real a, Real x) {
  constexpr Real large = 1e2000L;
  Real b = x + 1 - a, above = 1, below = b, above_before = 0, below_before = 1, apart = 1;
  for (Real k = 1; k < 100000; k += 1) {
    const Real coefficient = k * (a - k);
    b += 2;
    const Real next_above = b * above + coefficient * above_before, next_below = b * below + coefficient * below_before;
    above_before = above, below_before = below, above = next_above, below = next_below, apart *= coefficient;
    if (std::abs(apart) <= epsilon * std::abs(above * below_before)) break;
    if (std::abs(below) > large) {
      above /= large, below /= large, above_before /= large, below_before /= large, apart /= large * large;
    }
  }
  return above / below;
}

// ln Γ(1 + a) for |a| ≤ 1/2, with the digits of a small one: −ln(1 + a) + a·(1 − γ) + Σ (−a)ᵏ·(ζ(k) − 1)/k.
Real log_gamma_near_1(Real a) {
  constexpr int terms = 40;  // of the sum: for |a| ≤ 1/2 later ones are below 4^−40, Real's rounding is 2^−64
  struct Table {
    Real numbers[terms];
    Table() {
      for (int k = 2; k < terms; ++k) numbers[k] = riemann(k) - 1;
    }
  };
  static const Table table;
  constexpr Real one_less_euler = 0.422784335098467139393487909917597569L;
  Real sum = 0;
  for (int k = terms - 1; k >= 2; --k) sum = sum * -a + table.numbers[k] / k;
  return -std::log1p(a) + a * one_less_euler + a * a * sum;
}

// 1 − xᵃ/Γ(1 + a) − xᵃ/Γ(a)·Σ (−x)ᵏ/(k!·(a + k)), for a ≤ 1/2 and small x; `power` is the logarithm of xᵃ/Γ(1 + a).
Real upper_series(Real a, Real x, Real power) {
  Real term = 1, sum = 0;
  for (Real k = 1; k < 200; k += 1) {
    term *= -x / k;
    const Real part = term / (a + k);
    sum += part;
    if (std::abs(part) <= epsilon * std::abs(sum)) break;
  }
  return -std::expm1(power) - a * std::exp(power) * sum;
}

// The integral of the density from x on (or down from x), by the density there: with u = ±t/x its logarithm is
// (a − 1)·(ln(1 + u) − u) + (a − 1 − x)·u, where a large a would hide the 1 of a difference.
Real tail(Real a, Real x, bool upper) {
  const Real power = a - 1, sign = upper ? 1 : -1;
  const Real slope = sign * ((a - x) - 1) / x, inverse = sign / x;
  const auto h = [&](Real t) {
    const Real u = inverse * t;
    return u <= -1 ? Real(-infinite) : power * log1p_less(u) + slope * t;
  };
  const Real spread = x / std::sqrt(power);
  const Real width = slope < 0 && -1 / slope < spread ? -1 / slope : spread;
  return integral_of_decay(h, width, upper ? infinite : x);
}

// P, Q and x·P′.
struct Parts {
  Real lower, upper, slope;
};

Parts of_tail(const GammaShape& shape, double x) {
  const double a = shape.a;
  const bool upper = x >= a;
  const Real slope = factor(shape, x) * a;
  const Real part = slope == 0 ? Real(0) : slope / x * tail(a, x, upper);
  return upper ? Parts{1 - part, part, slope} : Parts{part, 1 - part, slope};
}

bool uses_upper_series(double a, double x) {
  if (a > small_shape || x > 1.1) return false;
  return x <= 0.5 ? a <= -0.4 / std::log(x) : a <= 1.1 * x;
}

// x > 0 and finite, a > 0 and finite.
Parts parts(const GammaShape& shape, double x) {
  const double a = shape.a;
  if (a >= large_shape) return of_tail(shape, x);
  if (uses_upper_series(a, x)) {
    const Real power = a * logarithm(x) - shape.constant, upper = upper_series(a, x, power);
    return {1 - upper, upper, a * exponential(power - x)};
  }
  const Real size = factor(shape, x), slope = size * a;
  if (x < shape.turn) {
    const Real lower = size * series(a, x);
    return {lower, 1 - lower, slope};
  }
  const Real upper = shape.whole ? slope / x * finite_sum(a, x) : slope * fraction(a, x);
  return {1 - upper, upper, slope};
}

// Where the rest does not apply: 0, infinities, NaN; else −1.
double lower_at_ends(double a, double x) {
  if (std::isnan(a) || std::isnan(x) || a < 0 || x < 0 || (a == 0 && x == 0)) return not_a_number;
  if (a == 0) return 1;
  if (std::isinf(a)) return std::isinf(x) ? not_a_number : 0;
  if (x == 0) return 0;
  return std::isinf(x) ? 1 : -1;
}

// --- the inverse ---

// ln Γ(a + 1)
Real log_gamma(const GammaShape& shape) {
  const Real a = shape.a;
  return shape.a < few_shape ? shape.constant : shape.constant + a * std::log(a) - a;
}

// Wilson and Hilferty's cube (1931) where it may be; else what the first terms of P or of Q give (DiDonato and Morris,
// "Computation of the incomplete gamma function ratios and their inverse", 1986, section 4).
double inverse_start(const GammaShape& shape, double p, double q, Real power) {
  const double a = shape.a, small = static_cast<double>(exponential(power));
  if (small < 0.2 * (a + 1)) return small * (1 + small / (a + 1));
  const double cube = 1 - 1 / (9 * a) + (p < q ? normal_quantile(p) : -normal_quantile(q)) / (3 * std::sqrt(a));
  if (a >= small_shape && cube > 0.2) return a * cube * cube * cube;
  const double far = -std::log(q) - std::lgamma(a);
  return far > 1 ? std::max(far + (a - 1) * std::log(far), 0.5) : std::min(small, 1.0);
}

// Whether the x that `inverse` looks for is below this one.
bool is_below(const GammaShape& shape, double x, bool lower, double wanted) {
  const Parts at = parts(shape, x);
  return lower ? at.lower >= wanted : at.upper <= wanted;
}

// x with P(a, x) = p and Q(a, x) = q = 1 − p, for 0 < p < 1, by whichever is smaller.
double inverse(const GammaShape& shape, double p, double q) {
  constexpr double least = std::numeric_limits<double>::denorm_min();
  const bool lower = p < q;
  const double a = shape.a, wanted = lower ? p : q;
  const Real power = ((lower ? logarithm(p) : logarithm(1 - Real(q))) + log_gamma(shape)) / a;
  if (power < -600) return static_cast<double>(std::exp(power));
  const Real close = 1e-4L / std::sqrt(Real(a) + 1);  // from where on a step is exact
  double x = inverse_start(shape, p, q, power);
  for (int step = 0; step < 200; ++step) {
    const Parts at = parts(shape, x);
    const Real value = lower ? at.lower : at.upper;
    if (!(value > 0)) {  // too far out for a number
      x *= lower ? 2 : 0.5;
      continue;
    }
    const Real slope = (lower ? at.slope : -at.slope) / value, curvature = a - x - slope;
    const Real change = step_towards(log_of_ratio(value, wanted), slope, curvature, -x - slope * curvature);
    const auto next = static_cast<double>(x * exponential(change));
    if (next == 0) {  // the least number tells whether x is
      if (is_below(shape, least, lower, wanted)) return 0;
      x = std::sqrt(x) * std::sqrt(least);
      continue;
    }
    if (std::abs(change) < close || next == x) return next;
    x = next;
  }
  return x;
}

// Where there is nothing to solve: else −1. `zero` is the probability that belongs to x = 0.
double inverse_at_ends(double a, double p, double zero) {
  if (std::isnan(a + p) || a < 0 || p < 0 || p > 1) return not_a_number;
  if (a == 0 || p == zero) return 0;
  return std::isinf(a) || p == 1 - zero ? infinite : -1;
}

}  // namespace

void GammaShape::set(double shape) {
  if (shape == a) return;
  a = shape;
  if (!(a > 0) || std::isinf(a)) return;
  constant = a <= small_shape ? log_gamma_near_1(a)
             : a < few_shape  ? log_factorial(a)
                              : stirling_error(a) + std::log(2 * pi * Real(a)) / 2;
  whole = a == std::floor(a) && a < 2 * few_shape;
  // P = 1 − Q loses digits that it has to spare; a short sum is faster than a series.
  turn = whole ? std::max(a - 1.4 * std::sqrt(a), 0.3) : a > small_shape ? a + 1.5 * (std::sqrt(a) + 1) : 1.1;
}

double gamma_lower(GammaShape& shape, double a, double x) {
  const double end = lower_at_ends(a, x);
  if (end != -1) return end;
  shape.set(a);
  return static_cast<double>(parts(shape, x).lower);
}

double gamma_upper(GammaShape& shape, double a, double x) {
  const double end = lower_at_ends(a, x);
  if (end != -1) return 1 - end;
  shape.set(a);
  return static_cast<double>(parts(shape, x).upper);
}

double gamma_lower_inverse(GammaShape& shape, double a, double p) {
  const double end = inverse_at_ends(a, p, 0);
  if (end != -1) return end;
  shape.set(a);
  return inverse(shape, p, 1 - p);
}

double gamma_upper_inverse(GammaShape& shape, double a, double q) {
  const double end = inverse_at_ends(a, q, 1);
  if (end != -1) return end;
  shape.set(a);
  return inverse(shape, 1 - q, q);
}

double gamma_density(GammaShape& shape, double n, double a, double x) {
  if (std::isnan(a) || std::isnan(x) || a <= 0 || x < 0 || std::isinf(a)) return not_a_number;
  const int order = static_cast<int>(n);
  if (x == 0) return derivative_at_zero(a - 1, order, [](int m) { return m % 2 == 0 ? 1 : -1; });
  if (std::isinf(x)) return 0;
  shape.set(a);
  const Real density = factor(shape, x) * a / x;
  if (density == 0 || order == 0) return static_cast<double>(density);
  return static_cast<double>(
      density * alternating_sum(order, [&](int k) { return falling_quotient(Real(a) - 1, order - k, x); }));
}

}  // namespace covec::ops::special
