#include "stdlib/ops/special/real.hpp"

#include <bit>
#include <cstdint>

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

constexpr int intervals = 128;  // parts of [1, 2), and of an octave: as in P. Tang's tables (real.hpp)
constexpr Real log_2 = 0.693147180559945309417232121458176568L;

struct Logarithms {
  Real inverse[intervals], value[intervals];  // 1/c, short enough for exact products, and ln c
};

struct Powers {
  Real value[intervals];  // 2^(i/128)
};

Powers make_powers() {
  Powers made{};
  for (int i = 0; i < intervals; ++i) made.value[i] = std::exp2(static_cast<Real>(i) / intervals);
  return made;
}

Logarithms make_logarithms() {
  Logarithms made{};
  for (int i = 0; i < intervals; ++i) {
    made.inverse[i] = std::nearbyint(0x1p10 / (1 + (i + 0.5) / intervals)) / 0x1p10;
    made.value[i] = -std::log(made.inverse[i]);
  }
  return made;
}

}  // namespace

Real logarithm(double x) {
  static const Logarithms table = make_logarithms();
  constexpr int mantissa = 52;  // bits of an f64's fraction (IEEE 754)
  const auto bits = std::bit_cast<uint64_t>(x);
  if (!std::isnormal(x)) return std::log(static_cast<Real>(x));
  const auto exponent = static_cast<int>(bits >> mantissa) - 1023;
  const auto at = bits >> (mantissa - 7) & (intervals - 1);
  const double part = std::bit_cast<double>((bits & ((uint64_t{1} << mantissa) - 1)) | uint64_t{1023} << mantissa);
  const Real r = part * table.inverse[at] - 1;
  const auto u = static_cast<double>(r);
  const double rest = u * u * u * (1 / 3.0 + u * (-1 / 4.0 + u * (1 / 5.0 + u * (-1 / 6.0 + u * (1 / 7.0 - u / 8)))));
  return exponent * log_2 + (table.value[at] + (r - (r * r / 2 - rest)));
}

Real exponential(Real x) {
  static const Powers table = make_powers();
  constexpr Real most = 700;
  if (!(std::abs(x) < most)) return std::exp(x);
  const auto steps = static_cast<int>(std::floor(static_cast<double>(x) * (intervals / 0.6931471805599453) + 0.5));
  const Real r = x - steps * (log_2 / intervals);
  const auto u = static_cast<double>(r);
  const double rest = u * u * u * (1 / 6.0 + u * (1 / 24.0 + u * (1 / 120.0 + u / 720)));
  const Real part = table.value[steps & (intervals - 1)] * (1 + (r + (r * r / 2 + rest)));
  const double scale = std::bit_cast<double>(static_cast<uint64_t>((steps >> 7) + 1023) << 52);
  return part * scale;
}

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

// By Γ of a number above 16.
Real log_factorial(Real a) {
  Real up = a, product = 1;
  while (up < 16) product *= up += 1;
  return (up + 0.5L) * std::log(up) - up + half_log_two_pi + stirling_error(up) - std::log(product);
}

}  // namespace covec::ops::special
