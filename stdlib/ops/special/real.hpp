// What the special functions share: ln(1 + u) − u, the error of Stirling's formula, integrals of decaying functions.
// Private to the family.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace covec::ops::special {

using Real = long double;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr Real half_log_two_pi = 0.918938533204672741780329736405617640L;
constexpr Real pi = 3.141592653589793238462643383279502884L;

// ln(1 + u) − u for u > −1, without cancellation: with v = u/(2 + u) it is −u·v + 2·v³·(1/3 + v²/5 + v⁴/7 + …).
inline Real log1p_less(Real u) {
  constexpr Real odd[] = {1 / 3.0L,  1 / 5.0L,  1 / 7.0L,  1 / 9.0L,  1 / 11.0L, 1 / 13.0L,
                          1 / 15.0L, 1 / 17.0L, 1 / 19.0L, 1 / 21.0L, 1 / 23.0L, 1 / 25.0L,
                          1 / 27.0L, 1 / 29.0L, 1 / 31.0L, 1 / 33.0L, 1 / 35.0L, 1 / 37.0L};
  const Real v = u / (2 + u), w = v * v;
  const int terms = w < 1e-4L ? 4 : w < 5e-3L ? 7 : w < 0.03L ? 12 : 18;
  if (!(w < 0.1L)) return std::log1p(u) - u;
  Real sum = 0;
  for (int k = terms - 1; k >= 0; --k) sum = sum * w + odd[k];
  return -u * v + 2 * v * w * sum;
}

// ln(to/from) − (to/from − 1), where `off` is to/from − 1 with its own digits.
inline Real log_ratio_less(Real to, Real from, Real off) {
  return off > -0.5L && off < 1 ? log1p_less(off) : std::log(to / from) - off;
}

// Riemann's zeta function for s > 1.
Real riemann(Real s);

// ln Γ(a + 1) − ((a + 1/2)·ln a − a + ln(2π)/2), for a > 0.
Real stirling_error(Real a);

// ln x for x > 0, within 2⁻⁶² of it or of 1: x is 2ᵏ·c·(1 + r), where c is about the middle of one of 128 parts of
// [1, 2), and |r| < 2⁻⁷ (P. Tang, "Table-driven implementation of the logarithm function", 1990).
Real logarithm(double x);
inline Real logarithm(Real x) {
  const double high = static_cast<double>(x);
  return std::isnormal(high) ? logarithm(high) + (x - high) / high : std::log(x);
}
// ln(value/wanted), where they are nearly equal too.
inline Real log_of_ratio(Real value, Real wanted) {
  const Real off = (value - wanted) / wanted;
  return std::abs(off) < 0.1L ? off + log1p_less(off) : std::log(value / wanted);
}

// ln Γ(a + 1), for a > 0 that is not large.
Real log_factorial(Real a);

// eˣ within 2⁻⁶¹ of it, or as far as the error of a large x carries: x is (n + i/128)·ln 2 + r, |r| < 0.003 (P. Tang,
// "Table-driven implementation of the exponential function", 1989).
Real exponential(Real x);

// p·(p − 1)⋯(p − n + 1)/xⁿ, the factor that differentiating xᵖ n times gives.
inline Real falling_quotient(Real p, int n, Real x) {
  Real product = 1;
  for (int i = 0; i < n; ++i) product *= (p - i) / x;
  return product;
}
// Σ (−1)ᵏ·C(n, k)·term(k), k = 0 to n.
template <class Term>
Real alternating_sum(int n, const Term& term) {
  Real sum = term(0), coefficient = 1;
  for (int k = 1; k <= n; ++k) {
    coefficient *= k - 1 - n;
    if (k > 1) coefficient /= k;
    sum += coefficient * term(k);
  }
  return sum;
}

// The n-th derivative of xᵖ·g(x) at 0, from above: infinite where no factor of xᵖ vanishes. `g(m)` is p!·g⁽ᵐ⁾(0).
template <class G>
double derivative_at_zero(double p, int n, const G& g) {
  if (n < p) return 0;
  if (p < 0 || p != std::floor(p)) return falling_quotient(p, n, 1) > 0 ? infinite : -infinite;
  const int whole = static_cast<int>(p);
  const Real binomial = falling_quotient(n, whole, 1) / falling_quotient(whole, whole, 1);
  return static_cast<double>(binomial * g(n - whole));
}

// A step of Halley's method, with the next term of the series behind it, towards where a function, `off` from what it
// should be, is concave, so that Newton's method converges from everywhere. `curvature` is the derivative of ln
// |slope|, `turn` that of `curvature`.
inline Real step_towards(Real off, Real slope, Real curvature, Real turn) {
  const Real newton = off / slope, part = newton * curvature / 2;
  const Real halley = -newton / (1 - std::min(part, Real(0.5))),
             rest = newton * newton * newton * (turn / 6 - curvature * curvature / 12);
  const Real step = std::abs(rest) < 0.01L * std::abs(halley) ? halley + rest : halley;
  return std::clamp(step, Real(-20), Real(20));
}

// Gauss and Legendre's rule on (0, 1).
struct Rule {
  static constexpr int count = 20;  // nodes
  Real nodes[count], weights[count];
};
const Rule& legendre_rule();

// ∫ exp(h(t)) dt from 0 to where h, which falls from 0, is of no account any more, at most to `most`. `width` is about
// where h is −1. What of h an f64 does not hold goes into the result all the same.
template <class H>
Real integral_of_decay(const H& h, Real width, Real most) {
  constexpr Real nothing = -44;  // e^−44 is 8e-20
  Real end = width;
  while (end < most && h(end) > nothing) end *= 1.25L;
  end = end < most ? end : most;
  const Rule& rule = legendre_rule();
  constexpr int panels = 2;
  const Real size = end / panels;
  Real sum = 0;
  for (int panel = panels; panel-- > 0;) {
    for (int i = 0; i < Rule::count; ++i) {
      const Real exponent = h(size * (panel + rule.nodes[i]));
      if (exponent > -60) sum += rule.weights[i] * exponential(exponent);
    }
  }
  return sum * size;
}

}  // namespace covec::ops::special
