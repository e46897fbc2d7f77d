#include "stdlib/fourier/fourier_roots.hpp"

#include <cmath>

namespace covec::kernels {

namespace {

// sin and cos of high + low, an angle in [0, π/4], by their series; the remainder is below 1e-19.
Root of_angle(double high, double low) {
  const double z = high * high, below = std::fma(high, high, -z);
  double s = 1.0 / 355687428096000;
  s = s * z - 1.0 / 1307674368000;
  s = s * z + 1.0 / 6227020800;
  s = s * z - 1.0 / 39916800;
  s = s * z + 1.0 / 362880;
  s = s * z - 1.0 / 5040;
  s = s * z + 1.0 / 120;
  s = s * z - 1.0 / 6;
  double c = -1.0 / 6402373705728000;
  c = c * z + 1.0 / 20922789888000;
  c = c * z - 1.0 / 87178291200;
  c = c * z + 1.0 / 479001600;
  c = c * z - 1.0 / 3628800;
  c = c * z + 1.0 / 40320;
  c = c * z - 1.0 / 720;
  c = c * z + 1.0 / 24;
  const double half = 0.5 * z, most = 1 - half;
  const double sine = high + (high * z * s + low * most);
  const double cosine = most + ((1 - most - half) + (z * z * c - high * low - 0.5 * below));
  return {cosine, sine};
}

}  // namespace

Root root_of_unity(int64_t a, int64_t n) {
  constexpr double quarter = 0x1.921fb54442d18p-1, quarter_below = 0x1.1a62633145c07p-55;  // π/4
  const int64_t octant = 8 * a / n;
  const int64_t rest = 8 * a - octant * n;  // of n
  const double part = static_cast<double>(octant % 2 == 0 ? rest : n - rest), whole = static_cast<double>(n);
  const double product = part * quarter;
  const double high = product / whole;
  const double low =
      (std::fma(-high, whole, product) + (std::fma(part, quarter, -product) + part * quarter_below)) / whole;
  const Root r = of_angle(high, low);
  switch (octant) {
    case 0: return {r.cos, r.sin};
    case 1: return {r.sin, r.cos};
    case 2: return {0 - r.sin, r.cos};
    case 3: return {-r.cos, r.sin};
    case 4: return {-r.cos, 0 - r.sin};
    case 5: return {-r.sin, -r.cos};
    case 6: return {r.sin, -r.cos};
    default: return {r.cos, -r.sin};
  }
}

}  // namespace covec::kernels
