// The incomplete gamma functions: by the power series of P where x is small beside a, by Legendre's continued fraction
// of Q where it is large (Abramowitz and Stegun, 6.5.29 and 6.5.31), each times the factor that both have, by Loader's
// saddle point form ("Fast and accurate computation of binomial probabilities", 2000). For small a, where Q is small
// though x is too, by a series of Q itself (Gautschi, "A computational procedure for incomplete gamma functions",
// 1979). From a = 100 on the tail beyond x is integrated.
#include "stdlib/ops/special/functions.hpp"
#include "stdlib/ops/special/real.hpp"

namespace covec::ops::special {

namespace {

constexpr double large_shape = 100;
constexpr Real epsilon = std::numeric_limits<Real>::epsilon();

// xᵃ·e⁻ˣ/Γ(a + 1).
Real factor(double a, double x) {
  constexpr double few = 16;
  const Real shape = a, at = x;
  if (a < few) {  // Γ(a + 1) by Γ of a number above 16
    Real up = shape, product = 1;
    while (up < few) product *= up += 1;
    const Real gamma = (up + 0.5L) * std::log(up) - up + half_log_two_pi + stirling_error(up);
    return std::exp(shape * std::log(at) - at - gamma) * product;
  }
  const Real off = shape * log_ratio_less(at, shape, (at - shape) / shape);
  return std::exp(off - stirling_error(shape)) / std::sqrt(2 * pi * shape);
}

// 1 + x/(a + 1) + x²/((a + 1)·(a + 2)) + …
Real series(Real a, Real x) {
  Real term = 1, sum = 1;
  for (Real k = 1; term > epsilon * sum; k += 1) {
    term *= x / (a + k);
    sum += term;
  }
  return sum;
}

// 1/(x + 1 − a − 1·(1 − a)/(x + 3 − a − …)), by Lentz' method as Thompson and Barnett have it (1986).
Real fraction(Real a, Real x) {
  constexpr Real tiny = 1e-4000L;
  Real b = x + 1 - a, c = 1 / tiny, d = 1 / b, value = d;
  for (Real k = 1; k < 100000; k += 1) {
    const Real coefficient = -k * (k - a);
    b += 2;
    d = coefficient * d + b;
    c = b + coefficient / c;
    d = 1 / (d == 0 ? tiny : d);
    c = c == 0 ? tiny : c;
    const Real change = c * d;
    value *= change;
    if (std::abs(change - 1) < epsilon) break;
  }
  return value;
}

// ln Γ(1 + a) for |a| ≤ 1/2, with the digits of a small one: −ln(1 + a) + a·(1 − γ) + Σ (−a)ᵏ·(ζ(k) − 1)/k.
Real log_gamma_near_1(Real a) {
  constexpr int terms = 40;
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

// 1 − xᵃ/Γ(1 + a) − xᵃ/Γ(a)·Σ (−x)ᵏ/(k!·(a + k)), for a ≤ 1/2 and small x.
Real upper_series(Real a, Real x) {
  const Real power = a * std::log(x) - log_gamma_near_1(a);
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
// (a − 1)·(ln(1 + u) − u) + (a − 1 − x)·u.
Real tail(Real a, Real x, bool upper) {
  const Real power = a - 1, sign = upper ? 1 : -1;
  const Real slope = sign * (power - x) / x, inverse = sign / x;
  const auto h = [&](Real t) {
    const Real u = inverse * t;
    return u <= -1 ? Real(-infinite) : power * log1p_less(u) + slope * t;
  };
  const Real spread = x / std::sqrt(power);
  const Real width = slope < 0 && -1 / slope < spread ? -1 / slope : spread;
  return integral_of_decay(h, width, upper ? infinite : x);
}

struct Parts {
  Real lower, upper;
};

Parts of_tail(double a, double x) {
  const bool upper = x >= a;
  const Real density = factor(a, x) * a / x;
  const Real part = density == 0 ? Real(0) : density * tail(a, x, upper);
  return upper ? Parts{1 - part, part} : Parts{part, 1 - part};
}

bool uses_upper_series(double a, double x) {
  if (a > 0.5 || x > 1.1) return false;
  return x <= 0.5 ? a <= -0.4 / std::log(x) : a <= 1.1 * x;
}

// x > 0 and finite, a > 0 and finite.
Parts parts(double a, double x) {
  if (a >= large_shape) return of_tail(a, x);
  if (uses_upper_series(a, x)) {
    const Real upper = upper_series(a, x);
    return {1 - upper, upper};
  }
  if (x < a || x <= 1.1) {
    const Real lower = factor(a, x) * series(a, x);
    return {lower, 1 - lower};
  }
  const Real upper = factor(a, x) * a * fraction(a, x);
  return {1 - upper, upper};
}

// Where the rest does not apply: 0, infinities, NaN; else −1.
double lower_at_ends(double a, double x) {
  if (std::isnan(a) || std::isnan(x) || a < 0 || x < 0 || (a == 0 && x == 0)) return not_a_number;
  if (a == 0) return 1;
  if (std::isinf(a)) return std::isinf(x) ? not_a_number : 0;
  if (x == 0) return 0;
  return std::isinf(x) ? 1 : -1;
}

}  // namespace

double gamma_lower(double a, double x) {
  const double end = lower_at_ends(a, x);
  return end == -1 ? static_cast<double>(parts(a, x).lower) : end;
}

double gamma_upper(double a, double x) {
  const double end = lower_at_ends(a, x);
  return end == -1 ? static_cast<double>(parts(a, x).upper) : 1 - end;
}

double gamma_density(double a, double x) {
  if (std::isnan(a) || std::isnan(x) || a <= 0 || x < 0 || std::isinf(a)) return not_a_number;
  if (x == 0) return a < 1 ? infinite : a == 1 ? 1 : 0;
  return std::isinf(x) ? 0 : static_cast<double>(factor(a, x) * a / x);
}

}  // namespace covec::ops::special
