// sin(πx)/(πx) and its derivatives. With s = πx and g(s) = sin(s)/s the n-th one is πⁿ·g⁽ⁿ⁾(s). Start at sinc().
#include <bit>
#include <cstdint>

#include "stdlib/ops/special/functions.hpp"
#include "stdlib/ops/special/real.hpp"

namespace covec::ops::special {

namespace {

// x less the nearest whole number, which is exact, and whether that number is odd. A float from 2^53 on is even.
struct Offset {
  double rest;
  bool odd;
  Offset(double difference, bool from_odd) : rest(difference), odd(from_odd) {}
  explicit Offset(double x) {
    const double whole = std::nearbyint(x);
    rest = x - whole;
    odd = std::abs(whole) < 0x1p53 && (static_cast<int64_t>(whole) & 1) != 0;
  }
};

// sin(πr)/(πr) in z = r² up to ¼. The ends of the series are joined in pairs, which are independent of each other.
double sinc_series(double z) {
  // (−1)ᵏ·π²ᵏ/(2k + 1)!, rounded to nearest
  constexpr double c[] = {0x1.0000000000000p+0,  -0x1.a51a6625307d3p+0,  0x1.9f9cb402bc46cp-1,  -0x1.86a8e4720db67p-3,
                          0x1.ac6805cf350a6p-6,  -0x1.33816aa4607abp-9,  0x1.374719fab3915p-13, -0x1.d42498d1ce099p-18,
                          0x1.0fc992ff39e13p-22, -0x1.f5f9d970ca6dfp-28, 0x1.79788684225eap-33, -0x1.d7353939082fep-39};
  const double y = z * z, w = y * y;
  const double low = (c[2] + c[3] * z) + (c[4] + c[5] * z) * y, high = (c[6] + c[7] * z) + (c[8] + c[9] * z) * y;
  return c[0] + z * (c[1] + z * (low + w * (high + w * (c[10] + c[11] * z))));
}
// With r the rest, sin(πx) is ± sin(πr): nothing is multiplied by π. A sum with 0 makes −0 a 0.
double sinc_of(double size, const Offset& offset) {
  const double value = offset.rest / size * sinc_series(offset.rest * offset.rest);
  return (offset.odd ? -value : value) + 0.0;
}

// The sum of the powers of s: g⁽ⁿ⁾(s) = Σ (−1)ᵏ·s²ᵏ⁻ⁿ/((2k + 1)·(2k − n)!), over 2k ≥ n.
Real by_series(int n, Real s) {
  const int first = (n + 1) / 2;
  Real power = n % 2 == 0 ? 1 : s, sum = 0;  // s²ᵏ⁻ⁿ/(2k − n)!, with the sign
  if (first % 2 != 0) power = -power;
  for (int k = first;; ++k) {
    const Real term = power / (2 * k + 1), next = sum + term;
    if (next == sum) return sum;
    sum = next;
    power *= -s * s / (Real(2 * k - n + 1) * (2 * k - n + 2));
  }
}

// From s·g = sin(s), differentiated n times: s·g⁽ⁿ⁾ + n·g⁽ⁿ⁻¹⁾ = sin⁽ⁿ⁾(s).
Real by_recurrence(int n, Real s, Real sine, Real cosine) {
  Real g = sine / s;
  for (int k = 1; k <= n; ++k) {
    const Real wave = k % 2 == 0 ? sine : cosine;
    g = ((k % 4 < 2 ? wave : -wave) - k * g) / s;
  }
  return g;
}

// Where the series is taken. Rounding errors grow by n!/sⁿ in the recurrence and by eˢ in the series, which are about
// equal here.
Real near_zero(int n) { return 0.28L * n + 0.4L; }

}  // namespace

double sinc(double x) {
  const double size = std::abs(x);
  if (size == 0) return 1;
  if (!(size < 0x1p51)) return std::isnan(x) ? x : size < 0x1p52 ? sinc_of(size, Offset(size)) : 0;
  // The sum has no binary places left, and the whole number in its low bits.
  const double shifted = size + 0x1.8p52, rest = size - (shifted - 0x1.8p52);
  return sinc_of(size, Offset(rest, (std::bit_cast<uint64_t>(shifted) & 1) != 0));
}

double sinc_derivative(double order, double x) {
  if (std::isinf(x)) return 0;
  if (std::isnan(x)) return x;
  const int n = static_cast<int>(order);
  const Real s = pi * std::abs(static_cast<Real>(x));
  Real value;
  if (s < near_zero(n)) {
    value = by_series(n, s);
  } else {
    const Offset offset(std::abs(x));
    const Real angle = pi * offset.rest, sign = offset.odd ? -1 : 1;
    value = by_recurrence(n, s, sign * std::sin(angle), sign * std::cos(angle));
  }
  for (int k = 0; k < n; ++k) value *= pi;
  return static_cast<double>(n % 2 != 0 && x < 0 ? -value : value);
}

}  // namespace covec::ops::special
