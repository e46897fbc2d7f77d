#include "stdlib/ops/special/real.hpp"

namespace covec::ops::special {

namespace {

// Legendre's polynomial P_n and its derivative at x, by the recurrence.
void legendre(int n, Real x, Real& value, Real& slope) {
  Real before = 1;
  value = x;
  for (int k = 2; k <= n; ++k) {
    const Real next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
    before = value;
    value = next;
  }
  slope = n * (x * value - before) / (x * x - 1);
}

Rule make_rule() {
  Rule rule{};
  for (int i = 0; i < Rule::count; ++i) {
    Real x = std::cos(pi * (i + 0.75L) / (Rule::count + 0.5L)), value, slope;
    for (int step = 0; step < 8; ++step) {
      legendre(Rule::count, x, value, slope);
      x -= value / slope;
    }
    legendre(Rule::count, x, value, slope);
    rule.nodes[i] = static_cast<double>((1 - x) / 2);
    rule.weights[i] = static_cast<double>(1 / ((1 - x * x) * slope * slope));
  }
  return rule;
}

}  // namespace

const Rule& legendre_rule() {
  static const Rule rule = make_rule();
  return rule;
}

Real stirling_error(Real a) {
  constexpr Real large = 16;
  if (a < large) return std::lgamma(a + 1) - ((a + 0.5L) * std::log(a) - a + half_log_two_pi);
  const Real w = 1 / (a * a);
  constexpr Real terms[] = {1 / 12.0L,        -1 / 360.0L, 1 / 1260.0L,       -1 / 1680.0L,     1 / 1188.0L,
                            -691 / 360360.0L, 1 / 156.0L,  -3617 / 122400.0L, 43867 / 244188.0L};
  Real sum = 0;
  for (int k = 8; k >= 0; --k) sum = sum * w + terms[k];
  return sum / a;
}

}  // namespace covec::ops::special
