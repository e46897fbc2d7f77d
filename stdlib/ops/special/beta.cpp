// The incomplete beta function by a continued fraction on the side where it converges, times the factor by Loader's
// saddle point form; where both shapes are large the tail beyond x is integrated.
#include <algorithm>

#include "stdlib/ops/special/functions.hpp"
#include "stdlib/ops/special/real.hpp"

namespace covec::ops::special {

namespace {

constexpr double large_shape = 100;
constexpr Real epsilon = std::numeric_limits<Real>::epsilon();

// b·x − a·y, which is (a + b)·x − a: what large products lose by rounding is added again (slowly, in 64 bits).
Real distance(Real a, Real b, Real x, Real y) {
  const Real right = b * x, left = a * y;
  constexpr Real large = 1e6;
  if (right < large && left < large) return right - left;
  return (right - left) + (std::fma(b, x, -right) - std::fma(a, y, -left));
}

// xᵃ·(1 − x)ᵇ/B(a, b).
Real factor(Real a, Real b, Real x, Real y) {
  const Real n = a + b, off = distance(a, b, x, y);
  const Real power = a * log_ratio_less(n * x, a, off / a) + b * log_ratio_less(n * y, b, -off / b);
  const Real errors = stirling_error(n) - stirling_error(a) - stirling_error(b);
  return std::exp(power + errors) * std::sqrt(a / n * b / (2 * pi));
}

// a·B(a, b)·I_x(a, b)/(xᵃ·yᵇ) by a continued fraction whose terms do not cancel where a or b is huge (A. DiDonato and
// A. Morris, "Algorithm 708", 1992, equation 9), by Lentz' method.
Real fraction(Real a, Real b, Real x, Real y) {
  constexpr Real tiny = 1e-4000L;
  const auto not_zero = [](Real number) { return number == 0 ? tiny : number; };
  const Real start = 1 - distance(a, b, x, y);
  Real value = not_zero(a / (a + 1) * start), c = value, d = 0;
  Real by_odd = 1 / (a + 1);
  for (Real n = 1; n < 100000; n += 1) {
    const Real rest = n * (b - n) * x * by_odd, above = (a + n - 1) * (a + b + n - 1) * by_odd * rest * x;
    by_odd = 1 / (a + 2 * n + 1);
    const Real below = n + rest + (a + n) * by_odd * (start + n * (1 + y));
    d = 1 / not_zero(below + above * d);
    c = not_zero(below + above / c);
    const Real change = c * d;
    value *= change;
    if (std::abs(change - 1) < epsilon) break;
  }
  return a / value;
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

// 1 − I_x(a, b) where that is small though x lies below the mean, which a small a does: I = xᵃ·(1 + a·Σ)/(a·B(a, b)),
// with Σ of (1 − b)ₙ·xⁿ/(n!·(a + n)) over n ≥ 1.
Real rest_of_flat(Real a, Real b, Real x) {
  Real sum = 0, product = 1;
  for (Real n = 1; n < 100000; n += 1) {
    product *= (n - b) * x / n;
    sum += product / (a + n);
    if (std::abs(product) <= epsilon * (std::abs(sum) * (a + n) + std::numeric_limits<Real>::min()) && n > b * x) break;
  }
  return -std::expm1(a * std::log(x) + log_gamma_rise(b, a) - log_gamma_rise(1, a) + std::log1p(a * sum));
}

// The integral of the density from x down, by the density there; y is 1 − x.
Real tail(Real a, Real b, Real x, Real y) {
  const Real up = a - 1, down = b - 1, slope = (distance(a, b, x, y) + (y - x)) / (x * y), by_x = -1 / x, by_y = 1 / y;
  const auto h = [&](Real t) {
    const Real u = by_x * t;
    return u <= -1 ? Real(-infinite) : up * log1p_less(u) + down * log1p_less(by_y * t) + slope * t;
  };
  const Real spread = 1 / std::sqrt(up / (x * x) + down / (y * y));
  const Real width = slope < 0 && -1 / slope < spread ? -1 / slope : spread;
  return integral_of_decay(h, width, x);
}

// I_x(a, b) where x lies below the mean, or nearly.
Real below(Real a, Real b, Real x, Real y) {
  const Real size = factor(a, b, x, y);
  if (size == 0) return 0;
  if (a >= large_shape && b >= large_shape) return size / (x * y) * tail(a, b, x, y);
  return size * fraction(a, b, x, y) / a;
}

struct Parts {
  Real lower, upper;
};

// 0 < x < 1, a, b > 0 and finite. What is small is computed by itself.
Parts parts(Real a, Real b, Real x) {
  const Real y = 1 - x;
  const bool large = a >= large_shape && b >= large_shape;
  constexpr Real small = 0.004L;  // 1 less a number of 64 bits has an f64's left
  if (large ? x <= a / (a + b) : x <= (a + 1) / (a + b + 2)) {
    const Real lower = below(a, b, x, y);
    if (1 - lower > small || large) return {lower, 1 - lower};
    const Real upper = rest_of_flat(a, b, x);
    return {1 - upper, upper};
  }
  const Real upper = below(b, a, y, x);
  if (1 - upper > small || large) return {1 - upper, upper};
  const Real lower = rest_of_flat(b, a, y);
  return {lower, 1 - lower};
}

// Where the rest does not apply: else −1.
double lower_at_ends(double a, double b, double x) {
  if (std::isnan(a + b + x) || a <= 0 || b <= 0 || x < 0 || x > 1 || (std::isinf(a) && std::isinf(b)))
    return not_a_number;
  if (x == 0 || x == 1) return x;
  if (std::isinf(a)) return 0;
  return std::isinf(b) ? 1 : -1;
}

}  // namespace

double beta_lower(double a, double b, double x) {
  const double end = lower_at_ends(a, b, x);
  return end == -1 ? static_cast<double>(parts(a, b, x).lower) : end;
}

double beta_upper(double a, double b, double x) {
  const double end = lower_at_ends(a, b, x);
  return end == -1 ? static_cast<double>(parts(a, b, x).upper) : 1 - end;
}

double beta_density(double a, double b, double x) {
  if (std::isnan(a + b + x) || !(a > 0) || !(b > 0) || std::isinf(a) || std::isinf(b) || x < 0 || x > 1)
    return not_a_number;
  if (x == 0) return a < 1 ? infinite : a == 1 ? b : 0;
  if (x == 1) return b < 1 ? infinite : b == 1 ? a : 0;
  const Real y = 1 - Real(x);
  return static_cast<double>(factor(a, b, x, y) / (x * y));
}

}  // namespace covec::ops::special
