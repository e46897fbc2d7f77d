// Hurwitz' zeta function: the first terms one by one, the others by the Euler–Maclaurin formula. Riemann's, left of 0,
// is computed by reflection (Abramowitz and Stegun, 23.2.6).
#include "stdlib/ops/special/functions.hpp"
#include "stdlib/ops/special/real.hpp"

namespace covec::ops::special {

namespace {

// B₂ₖ/(2k)!
constexpr Real bernoulli[] = {1 / 12.0L,
                              -1 / 720.0L,
                              1 / 30240.0L,
                              -1 / 1209600.0L,
                              1 / 47900160.0L,
                              -691 / 1307674368000.0L,
                              1 / 74724249600.0L,
                              -3617 / 10670622842880000.0L,
                              43867 / 5109094217170944000.0L,
                              -174611 / 802857662698291200000.0L};

constexpr int logarithms = 13;  // kept, of the whole numbers below it

// x⁻ˢ. Of small whole numbers the logarithms are known.
Real power_of(Real x, Real s) {
  struct Table {
    Real numbers[logarithms];
    Table() {
      for (int i = 1; i < logarithms; ++i) numbers[i] = std::log(Real(i));
    }
  };
  static const Table table;
  const int whole = x < logarithms ? static_cast<int>(x) : 0;
  const Real power = -s * (whole > 0 && whole == x ? table.numbers[whole] : std::log(x));
  return s > 1 ? exponential(power) : std::exp(power);  // below 1 large terms cancel
}

Real sum(Real s, Real q) {
  // Ten terms of what follows leave ((s + 20)/(2π·at))²⁰ at most.
  const Real far = std::max<Real>(12, s > 1 ? 6 * (s + 20) / (2 * pi) : 0);
  Real total = 0, at = q;
  for (; at < far || at < q + 1; at += 1) {
    const Real term = power_of(at, s);
    total += term;
    if (term <= total * std::numeric_limits<Real>::epsilon() / 64 && s > 1) return total;
  }
  const Real power = power_of(at, s), inverse = 1 / at;
  total += power * (at / (s - 1) + 0.5L);
  Real rising_factorial = s * inverse;
  for (int k = 0; k < 10; ++k) {
    total += power * rising_factorial * bernoulli[k];
    rising_factorial *= (s + 2 * k + 1) * (s + 2 * k + 2) * inverse * inverse;
  }
  return total;
}

// sin(π·x/2), exact where it vanishes.
Real sine_of_quarters(Real x) {
  const Real rest = std::remainder(x, 4.0L);
  if (rest == 0 || std::abs(rest) == 2) return 0;
  return std::sin(pi / 2 * rest);
}

Real reflected(Real s) {
  const Real sine = sine_of_quarters(s);
  if (sine == 0) return 0;
  const Real size = std::exp(s * std::log(2 * pi) + std::lgamma(1 - s));
  return size * sine / pi * sum(1 - s, 1);
}

}  // namespace

Real riemann(Real s) { return sum(s, 1); }

// Of whole s and a q below 0 that is none: terms on both sides of 0, the first of them with the sign of (−1)ˢ.
Real left_of_zero(Real s, Real q) {
  const Real part = q - std::floor(q), sign = std::fmod(s, 2) == 0 ? 1 : -1;
  return sum(s, part) + sign * (sum(s, 1 - part) - sum(s, 1 - q));
}

double zeta(double s, double q) {
  if (std::isnan(s) || std::isnan(q)) return not_a_number;
  if (s == 1) return infinite;
  if (q == 1) {
    if (std::isinf(s)) return s > 0 ? 1 : not_a_number;
    return static_cast<double>(s < -0.5 ? reflected(s) : sum(s, 1));
  }
  if (s < 1) return not_a_number;
  if (q <= 0 && q == std::floor(q)) return infinite;
  if (q < 0) return s == std::floor(s) && !std::isinf(s) ? static_cast<double>(left_of_zero(s, q)) : not_a_number;
  if (std::isinf(q)) return 0;
  if (std::isinf(s)) return q < 1 ? infinite : 0;
  return static_cast<double>(sum(s, q));
}

}  // namespace covec::ops::special
