// The quantile of the normal distribution, by M. Wichura's rational functions ("Algorithm AS 241: the percentage points
// of the normal distribution", 1988). In the tails their argument is the root of −ln of the probability. erf's inverse
// is the same function of other arguments.
#include "stdlib/ops/special/functions.hpp"
#include "stdlib/ops/special/real.hpp"

namespace covec::ops::special {

namespace {

struct Ratio {
  double above[8], below[8];
};

constexpr Ratio middle = {
    {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
     4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3},
    {1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3, 2.1213794301586595867e4,
     3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3}};
constexpr Ratio outer = {
    {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
     1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4},
    {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1, 1.48103976427480074590e-1,
     1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9}};
constexpr Ratio far_out = {
    {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
     2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2, 7.86869131145613259100e-4,
     1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15}};

Real value(const Ratio& ratio, Real x) {
  Real above = ratio.above[7], below = ratio.below[7];
  for (int k = 6; k >= 0; --k) above = above * x + ratio.above[k], below = below * x + ratio.below[k];
  return above / below;
}

// The distance at which a tail of this −ln begins.
Real beyond(Real less_log) {
  const Real root = std::sqrt(less_log);
  return root <= 5 ? value(outer, root - 1.6L) : value(far_out, root - 5);
}

// The quantile of 1/2 + off, where the smaller of that and its complement is `tail`.
Real quantile(double off, double tail) {
  if (std::abs(off) <= 0.425) return off * value(middle, 0.180625L - Real(off) * off);
  const Real size = beyond(-logarithm(tail));
  return off < 0 ? -size : size;
}

// Where a tail of half of `twice` begins, which may be a subnormal number.
Real tail_quantile(double twice) {
  constexpr Real ln2 = 0.693147180559945309417232121458176568L;
  return beyond(ln2 - logarithm(Real(twice)));
}

}  // namespace

double normal_quantile(double p) {
  if (!(p >= 0 && p <= 1)) return not_a_number;
  if (p == 0 || p == 1) return p == 0 ? -infinite : infinite;
  return static_cast<double>(quantile(p - 0.5, p < 0.5 ? p : 1 - p));
}

double erf_inverse(double y) {
  if (!(y >= -1 && y <= 1)) return not_a_number;
  if (std::abs(y) == 1) return y * infinite;
  constexpr Real root_half = 0.707106781186547524400844362104849039L;
  return static_cast<double>(root_half * quantile(y / 2, (1 - std::abs(y)) / 2));
}

// Near 1 by how far y is from it, which 64 bits hold; else by the tail y/2.
double erfc_inverse(double y) {
  if (!(y >= 0 && y <= 2)) return not_a_number;
  if (y == 0 || y == 2) return y == 0 ? infinite : -infinite;
  constexpr Real root_half = 0.707106781186547524400844362104849039L;
  const Real off = (1 - Real(y)) / 2;
  if (std::abs(off) <= 0.425) return static_cast<double>(root_half * off * value(middle, 0.180625L - off * off));
  const Real size = root_half * tail_quantile(y < 1 ? y : 2 - y);
  return static_cast<double>(y < 1 ? size : -size);
}

}  // namespace covec::ops::special
