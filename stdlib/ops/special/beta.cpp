// The incomplete beta function. It uses a continued fraction on the side where that converges, times the factor by
// Loader's saddle point form. If both shapes are large, the tail beyond x is integrated.
#include <algorithm>

#include "stdlib/ops/special/functions.hpp"
#include "stdlib/ops/special/real.hpp"

namespace covec::ops::special {

namespace {

// Shapes: below few_shape the factor is computed plainly, from large_shape on the tail is integrated.
constexpr double few_shape = 16, large_shape = 2000;
constexpr Real epsilon = std::numeric_limits<Real>::epsilon();

// b·x − a·y, which is (a + b)·x − a: what large products lose by rounding is added again (slowly, in 64 bits).
Real distance(Real a, Real b, Real x, Real y) {
  const Real right = b * x, left = a * y;
  constexpr Real large = 1e6;
  if (right < large && left < large) return right - left;
  return (right - left) + (std::fma(b, x, -right) - std::fma(a, y, -left));
}

bool is_few(double a, double b) { return a < few_shape && b < few_shape; }

// xᵃ·yᵇ/B(a, b), for y = 1 − x.
Real factor(const BetaShape& shape, Real x, Real y) {
  const Real a = shape.a, b = shape.b;
  if (is_few(shape.a, shape.b)) return exponential(a * logarithm(x) + b * logarithm(y) + shape.constant);
  const Real n = a + b, off = distance(a, b, x, y);
  return exponential(a * log_ratio_less(n * x, a, off / a) + b * log_ratio_less(n * y, b, -off / b) + shape.constant);
}

// a·B(a, b)·I_x(a, b)/(xᵃ·yᵇ) by a continued fraction whose terms do not cancel where a or b is huge (A. DiDonato and
// A. Morris, "Algorithm 708", 1992, equation 9), by the recurrence of numerators and denominators, up to where the
// product of the coefficients says that two convergents differ by `most` at most.
Real fraction(Real a, Real b, Real x, Real y, Real most) {
  constexpr Real large = 1e2000L;
  const Real start = 1 - distance(a, b, x, y);
  Real top = a / (a + 1) * start, top_before = 1, base = 1, base_before = 0, apart = 1;
  Real by_odd = 1 / (a + 1);
  for (Real n = 1; n < 100000; n += 1) {
    const Real rest = n * (b - n) * x * by_odd, above = (a + n - 1) * (a + b + n - 1) * by_odd * rest * x;
    by_odd = 1 / (a + 2 * n + 1);
    const Real below = n + rest + (a + n) * by_odd * (start + n * (1 + y));
    const Real next_top = below * top + above * top_before, next_base = below * base + above * base_before;
    top_before = top, base_before = base, top = next_top, base = next_base, apart *= above;
    if (std::abs(apart) <= most * std::abs(top * base_before)) break;
    if (std::abs(base) > large) {
      top /= large, base /= large, top_before /= large, base_before /= large, apart /= large * large;
    }
  }
  return a * base / top;
}

// log(Γ(b + d)/Γ(b)) for d > 0, to the digits of d however small: by Stirling's series, whose terms' differences are
// taken one by one, from b ≥ 20 on.
Real log_gamma_rise(Real b, Real d) {
  constexpr Real from = 20;
  constexpr Real terms[] = {1 / 12.0L,   -1 / 360.0L,      1 / 1260.0L, -1 / 1680.0L,
                            1 / 1188.0L, -691 / 360360.0L, 1 / 156.0L,  -3617 / 122400.0L};
  Real shifted = 0;
  for (; b < from; b += 1) shifted += std::log1p(d / b);
  const Real grown = std::log1p(d / b);
  Real rise = d * std::log(b) + ((b + d - 0.5L) * grown - d), power = 1 / b, exponent = 1;
  for (const Real term : terms) {
    rise += term * power * std::expm1(-exponent * grown);
    power /= b * b;
    exponent += 2;
  }
  return rise - shifted;
}

// Σ of (1 − b)ₙ·xⁿ/(n!·(a + n)) over n ≥ 1, and its derivative by ln x: I = xᵃ·(1 + a·Σ)/(a·B(a, b)).
struct Series {
  Real sum, derivative;
};
Series series_of(Real a, Real b, Real x) {
  Real sum = 0, derivative = 0, product = 1;
  for (Real n = 1; n < 100000; n += 1) {
    product *= (n - b) * x / n;
    sum += product / (a + n);
    derivative += product / (a + n) * n;
    if (std::abs(product) <= epsilon * (std::abs(sum) * (a + n) + std::numeric_limits<Real>::min()) && n > b * x) break;
  }
  return {sum, derivative};
}

// ln(a·B(a, b)), to its digits however small a is.
Real log_flat_size(Real a, Real b) { return log_gamma_rise(1, a) - log_gamma_rise(b, a); }

// 1 − I_x(a, b) where that is small though x lies below the mean, which a small a does.
Real rest_of_flat(Real a, Real b, Real x) {
  return -std::expm1(a * std::log(x) - log_flat_size(a, b) + std::log1p(a * series_of(a, b, x).sum));
}

// The integral of the density from x down, by the density there; y is 1 − x.
Real tail(Real a, Real b, Real x, Real y) {
  const Real up = a - 1, down = b - 1, derivative = (distance(a, b, x, y) + (y - x)) / (x * y), by_x = -1 / x,
             by_y = 1 / y;
  const auto h = [&](Real t) {
    const Real u = by_x * t;
    return u <= -1 ? Real(-infinite) : up * log1p_less(u) + down * log1p_less(by_y * t) + derivative * t;
  };
  const Real spread = 1 / std::sqrt(up / (x * x) + down / (y * y));
  const Real width = derivative < 0 && -1 / derivative < spread ? -1 / derivative : spread;
  return integral_of_decay(h, width, x);
}

// I_x(a, b) where x lies below the mean, or nearly; `size` is the factor.
Real below(Real a, Real b, Real x, Real y, Real size, Real most) {
  if (size == 0) return 0;
  if (a >= large_shape && b >= large_shape) return size / (x * y) * tail(a, b, x, y);
  return size * fraction(a, b, x, y, most) / a;
}

// I, 1 − I, and the factor, which is I's derivative by ln(x/y).
struct Parts {
  Real lower, upper, derivative;
};

// 0 < x < 1, a, b > 0 and finite; within `most`, relatively. What is small is computed by itself.
Parts parts(const BetaShape& shape, Real x, Real y, Real most = epsilon) {
  const Real a = shape.a, b = shape.b, size = factor(shape, x, y);
  const bool large = shape.a >= large_shape && shape.b >= large_shape;
  constexpr Real small =
      0.06L;  // below, 1 less a number of 64 bits, of which rounding took some, lacks an f64's digits
  if (large ? x <= a / (a + b) : x <= (a + 1) / (a + b + 2)) {
    const Real lower = below(a, b, x, y, size, most);
    if (1 - lower > small || large) return {lower, 1 - lower, size};
    const Real upper = rest_of_flat(a, b, x);
    return {1 - upper, upper, size};
  }
  const Real upper = below(b, a, y, x, size, most);
  if (1 - upper > small || large) return {1 - upper, upper, size};
  const Real lower = rest_of_flat(b, a, y);
  return {lower, 1 - lower, size};
}

// Where the rest does not apply: else −1.
double lower_at_ends(double a, double b, double x) {
  if (std::isnan(a + b + x) || a < 0 || b < 0 || a + b == 0 || x < 0 || x > 1 || (std::isinf(a) && std::isinf(b)))
    return not_a_number;
  if (x == 0 || x == 1) return x;
  if (a == 0) return 1;  // all of it lies at 0, or at 1
  if (std::isinf(a) || b == 0) return 0;
  return std::isinf(b) ? 1 : -1;
}

// --- the inverse ---

struct UnitPoint {
  Real x, y;  // y is 1 − x
};

// What is looked for: I, of the shapes a and b, is p ≤ 1/2.
struct Wanted {
  double a, b;
  Real p, log_beta;
};

Real log_beta(BetaShape& shape) {
  const Real a = shape.a, b = shape.b;
  if (is_few(shape.a, shape.b)) return -shape.constant;
  if (std::isnan(shape.log_beta)) shape.log_beta = std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
  return shape.log_beta;
}

// ln x where the first term of I, xᵃ/(a·B), is p. Of a small a the logarithm of a·B is small beside its parts.
Real first_term(double a, double b, Real log_p, Real log_beta) {
  const Real log_size = a < 0.5 ? log_flat_size(a, b) : logarithm(a) + log_beta;
  return (log_p + log_size) / a;
}

UnitPoint from_logit(Real w) {
  const Real part = exponential(-std::abs(w)), x = 1 / (1 + part), y = part / (1 + part);
  return w > 0 ? UnitPoint{x, y} : UnitPoint{y, x};
}

// Where both shapes are above 1, Abramowitz and Stegun's normal approximation, 26.5.22; else the first term of I, whose
// place is e^left, or of 1 − I where that is near an end, or the mean.
UnitPoint inverse_start(const Wanted& wanted, Real left) {
  const double a = wanted.a, b = wanted.b;
  if (a > 1 && b > 1) {
    const double z = -normal_quantile(static_cast<double>(wanted.p)), by_a = 1 / (2 * a - 1), by_b = 1 / (2 * b - 1);
    const double h = 2 / (by_a + by_b), part = (z * z - 3) / 6;
    const double w = z * std::sqrt(std::max(h + part, 0.0)) / h - (by_b - by_a) * (part + 5 / 6.0 - 2 / (3 * h));
    return from_logit(std::log(a / b) - 2 * w);
  }
  const Real mean = Real(a) / (Real(a) + b), rest = b / (Real(a) + b);
  if (left < logarithm(mean)) return {exponential(left), -std::expm1(left)};
  const Real right = first_term(b, a, std::log1p(-wanted.p), wanted.log_beta);
  if (right < logarithm(rest)) return {-std::expm1(right), exponential(right)};
  return {mean, rest};
}

// ln I and ln(1 − I) are concave functions of ln(x/y), and one of them is solved, 1 − I with the shapes in turn: the
// first value need not be exact.
UnitPoint inverse(const BetaShape& shape, const Wanted& wanted, bool swapped) {
  constexpr Real coarse = 1e-7L, tiny = -50;
  const Real a = wanted.a, b = wanted.b, left = first_term(wanted.a, wanted.b, logarithm(wanted.p), wanted.log_beta);
  if (left + logarithm(1 + b) < tiny) return {std::exp(left), -std::expm1(left)};
  const Real close = 1e-4L * std::min(std::sqrt(1 / (a + 0.5L) + 1 / (b + 0.5L)), Real(1));
  UnitPoint at = inverse_start(wanted, left);
  if (at.y * (1 + a) < 0x1p-70L && !(a > 1 && b > 1)) return at;  // the first term of 1 − I is all of it
  for (int step = 0; step < 200; ++step) {
    const Real most = step == 0 ? coarse : epsilon;
    const Parts parts_here = swapped ? parts(shape, at.y, at.x, most) : parts(shape, at.x, at.y, most);
    const Real value = swapped ? parts_here.upper : parts_here.lower;
    Real change = 1;  // where I is too small for a number
    if (value > 0) {
      const Real derivative = parts_here.derivative / value, second_derivative = a * at.y - b * at.x - derivative;
      change = step_towards(log_of_ratio(value, wanted.p), derivative, second_derivative,
                            -(a + b) * at.x * at.y - derivative * second_derivative);
    }
    const Real grown = at.x * exponential(change), sum = at.y + grown;
    at = {grown / sum, at.y / sum};
    if (step > 0 && std::abs(change) < close) break;
  }
  return at;
}

// A small x with ln I_x = log_p, for a so small that an error of I is 1/a times as large in x: by two steps of Newton's
// method on (ln I)/a, whose terms have all their digits.
Real flat_inverse(Real a, Real b, Real x, Real log_p) {
  const Real first = (log_p + log_flat_size(a, b)) / a;
  for (int step = 0; step < 2; ++step) {
    const Series series = series_of(a, b, x);
    const Real change = first - std::log(x) - std::log1p(a * series.sum) / a;
    x *= std::exp(change / (1 + series.derivative / (1 + a * series.sum)));
  }
  return x;
}

// x with I_x = p, 1 − p = q, by whichever is smaller.
double solve(BetaShape& shape, double a, double b, double p, double q) {
  constexpr double flat = 0.01, near = 0.25;  // of a and x·(1 + b): below, flat_inverse
  shape.set(a, b);
  const Real x =
      q < p ? inverse(shape, {b, a, q, log_beta(shape)}, true).y : inverse(shape, {a, b, p, log_beta(shape)}, false).x;
  if (a >= flat || x == 0 || x * (1 + b) > near) return static_cast<double>(x);
  return static_cast<double>(flat_inverse(a, b, x, q < p ? std::log1p(-Real(q)) : logarithm(p)));
}

// Where there is nothing to solve: else −1. `zero` is the probability that belongs to x = 0.
double inverse_at_ends(double a, double b, double p, double zero) {
  if (std::isnan(a + b + p) || a <= 0 || b <= 0 || p < 0 || p > 1 || (std::isinf(a) && std::isinf(b)))
    return not_a_number;
  if (p == zero) return 0;
  if (p == 1 - zero || std::isinf(a)) return 1;
  return std::isinf(b) ? 0 : -1;
}

}  // namespace

void BetaShape::set(double left, double right) {
  if (left == a && right == b) return;
  a = left, b = right, log_beta = not_a_number;
  if (!(a > 0 && b > 0) || std::isinf(a + b)) return;
  const Real up = a, down = b, n = up + down;
  constant = is_few(a, b) ? log_factorial(n) - log_factorial(up) - log_factorial(down) + std::log(up / n * down)
                          : stirling_error(n) - stirling_error(up) - stirling_error(down) +
                                std::log(up / n * down / (2 * pi)) / 2;
}

double beta_lower(BetaShape& shape, double a, double b, double x) {
  const double end = lower_at_ends(a, b, x);
  if (end != -1) return end;
  shape.set(a, b);
  return static_cast<double>(parts(shape, x, 1 - Real(x)).lower);
}

double beta_upper(BetaShape& shape, double a, double b, double x) {
  const double end = lower_at_ends(a, b, x);
  if (end != -1) return 1 - end;
  shape.set(a, b);
  return static_cast<double>(parts(shape, x, 1 - Real(x)).upper);
}

double beta_lower_inverse(BetaShape& shape, double a, double b, double p) {
  const double end = inverse_at_ends(a, b, p, 0);
  return end == -1 ? solve(shape, a, b, p, 1 - p) : end;
}

double beta_upper_inverse(BetaShape& shape, double a, double b, double q) {
  const double end = inverse_at_ends(a, b, q, 1);
  return end == -1 ? solve(shape, a, b, 1 - q, q) : end;
}

double beta_density(BetaShape& shape, double n, double a, double b, double x) {
  if (std::isnan(a + b + x) || a < 0 || b < 0 || a + b == 0 || std::isinf(a) || std::isinf(b) || x < 0 || x > 1)
    return not_a_number;
  const int order = static_cast<int>(n);
  if (a == 0) return x == 0 ? (order % 2 == 0 ? infinite : -infinite) : 0;
  if (b == 0) return x == 1 ? infinite : 0;
  // Γ(a)/B(a, b) = b·(b + 1)⋯(b + a − 1) for a whole a.
  const auto at_zero = [order](double power, double other) {
    return derivative_at_zero(power - 1, order, [=](int m) {
      const Real rest = (m % 2 == 0 ? 1 : -1) * falling_quotient(Real(other) - 1, m, 1);
      return rest * falling_quotient(Real(other) + power - 1, static_cast<int>(power), 1);
    });
  };
  if (x == 0) return at_zero(a, b);
  if (x == 1) return order % 2 == 0 ? at_zero(b, a) : -at_zero(b, a);
  const Real y = 1 - Real(x);
  shape.set(a, b);
  const Real density = factor(shape, x, y) / (x * y);
  if (density == 0 || order == 0) return static_cast<double>(density);
  return static_cast<double>(density * alternating_sum(order, [&](int k) {
                               return falling_quotient(Real(a) - 1, order - k, x) * falling_quotient(Real(b) - 1, k, y);
                             }));
}

}  // namespace covec::ops::special
