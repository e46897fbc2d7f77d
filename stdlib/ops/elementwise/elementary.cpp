#include "stdlib/kernels/elementary.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "stdlib/ops/elementwise/bodies/functions.hpp"
#include "stdlib/ops/elementwise/bodies/hyperbolic.hpp"
#include "stdlib/ops/elementwise/bodies/logarithms.hpp"
#include "stdlib/ops/elementwise/bodies/power.hpp"
#include "stdlib/ops/elementwise/bodies/roots.hpp"

namespace covec::ops {

// A number type for bodies, as Vec is: one f64. Its operations are those of scalar_builder.hpp.
namespace alone {

struct Truth {
  bool value;
  friend Truth operator&(Truth a, Truth b) { return {a.value && b.value}; }
  friend Truth operator|(Truth a, Truth b) { return {a.value || b.value}; }
  friend Truth operator^(Truth a, Truth b) { return {a.value != b.value}; }
  friend Truth operator~(Truth a) { return {!a.value}; }
};

struct Whole {
  using Element = int64_t;
  using Integer = Whole;
  uint64_t value = 0;

  Whole() = default;
  Whole(int64_t number) : value(static_cast<uint64_t>(number)) {}  // NOLINT: constants convert
  static Whole of(uint64_t bits) { return {static_cast<int64_t>(bits)}; }
  int64_t number() const { return static_cast<int64_t>(value); }
  friend Whole operator+(Whole a, Whole b) { return of(a.value + b.value); }
  friend Whole operator-(Whole a, Whole b) { return of(a.value - b.value); }
  friend Whole operator*(Whole a, Whole b) { return of(a.value * b.value); }
  friend Whole operator-(Whole a) { return of(0 - a.value); }
  friend Whole operator&(Whole a, Whole b) { return of(a.value & b.value); }
  friend Whole operator|(Whole a, Whole b) { return of(a.value | b.value); }
  friend Whole operator^(Whole a, Whole b) { return of(a.value ^ b.value); }
  friend Whole operator~(Whole a) { return of(~a.value); }
  friend Truth operator<(Whole a, Whole b) { return {a.number() < b.number()}; }
  friend Truth operator<=(Whole a, Whole b) { return {a.number() <= b.number()}; }
  friend Truth operator>(Whole a, Whole b) { return {a.number() > b.number()}; }
  friend Truth operator>=(Whole a, Whole b) { return {a.number() >= b.number()}; }
  friend Truth operator==(Whole a, Whole b) { return {a.value == b.value}; }
  friend Truth operator!=(Whole a, Whole b) { return {a.value != b.value}; }
  friend Whole shift_left(Whole a, Whole by) { return of(a.value << by.value); }
  friend Whole shift_right(Whole a, Whole by) { return {a.number() >> by.value}; }
  friend Whole shift_right_logical(Whole a, Whole by) { return of(a.value >> by.value); }
};

struct Real {
  using Element = double;
  using Integer = Whole;
  static constexpr bool is_float = true;
  double value = 0;

  Real() = default;
  Real(double number) : value(number) {}  // NOLINT: constants convert
  friend Real operator+(Real a, Real b) { return a.value + b.value; }
  friend Real operator-(Real a, Real b) { return a.value - b.value; }
  friend Real operator*(Real a, Real b) { return a.value * b.value; }
  friend Real operator/(Real a, Real b) { return a.value / b.value; }
  friend Real operator-(Real a) { return -a.value; }
  friend Truth operator<(Real a, Real b) { return {a.value < b.value}; }
  friend Truth operator<=(Real a, Real b) { return {a.value <= b.value}; }
  friend Truth operator>(Real a, Real b) { return {a.value > b.value}; }
  friend Truth operator>=(Real a, Real b) { return {a.value >= b.value}; }
  friend Truth operator==(Real a, Real b) { return {a.value == b.value}; }
  friend Truth operator!=(Real a, Real b) { return {a.value != b.value}; }
  friend Real fma(Real a, Real b, Real c) { return std::fma(a.value, b.value, c.value); }
  friend Real sqrt(Real a) { return std::sqrt(a.value); }
  friend Real floor(Real a) { return std::floor(a.value); }
  friend Real trunc(Real a) { return std::trunc(a.value); }
  friend Real round_even(Real a) { return std::nearbyint(a.value); }
  friend Whole bits(Real a) { return {std::bit_cast<int64_t>(a.value)}; }
};

inline Real from_bits(Whole a) { return std::bit_cast<double>(a.value); }
inline Real select(Truth condition, Real a, Real b) { return condition.value ? a : b; }
inline Whole select(Truth condition, Whole a, Whole b) { return condition.value ? a : b; }
template <class F>
Real rare(Truth condition, Real usual, F slow) {
  return condition.value ? slow() : usual;
}

}  // namespace alone

}  // namespace covec::ops

namespace covec::kernels {

namespace {

using C = std::complex<double>;

template <class Operator, class... X>
double apply(X... x) {
  return Operator::body(ops::alone::Real(x)...).value;
}

double angle(double y, double x) { return apply<ops::Atan2>(y, x); }

// a² + b² − 1, also where it is small: but for the last sum, and the errors of the squares, the sums are exact where
// the larger square is near 1.
double squares_less_one(double a, double b) {
  const double larger = std::max(std::abs(a), std::abs(b)), smaller = std::min(std::abs(a), std::abs(b));
  const double p = larger * larger, q = smaller * smaller;
  const double first = p - 1, first_rest = p - (first + 1);
  const double p_rest = std::fma(larger, larger, -p), q_rest = std::fma(smaller, smaller, -q), rests = p_rest + q_rest;
  return (((first + q) + first_rest) + rests) + (q_rest - (rests - p_rest));
}

// ln |z|. A subnormal length has few digits, a large one overflows.
double logarithm_of_length(double x, double y) {
  const double most = std::max(std::abs(x), std::abs(y));
  if (most == 0 || y == 0) return apply<ops::Log>(most);
  // Bounds of lengths that are taken as they are, and ln 2.
  constexpr double least = 0x1p-960, large = 0x1p1000, ln_2 = 0.6931471805599453;
  const int by = most < least ? 200 : most > large ? -8 : 0;
  const double length = apply<ops::Hypot>(std::ldexp(x, by), std::ldexp(y, by));
  if (length > 0.75 && length < 1.375) return 0.5 * apply<ops::Log1p>(squares_less_one(x, y));
  return apply<ops::Log>(length) - by * ln_2;
}

}  // namespace

double exponential(double x) { return apply<ops::Exp>(x); }
double logarithm(double x) { return apply<ops::Log>(x); }
double binary_logarithm(double x) { return apply<ops::Log2>(x); }
double cube_root(double x) { return apply<ops::Cbrt>(x); }
double power(double x, double y) { return apply<ops::Power>(x, y); }
double hyperbolic_sine(double x) { return apply<ops::Sinh>(x); }

// e^x may overflow where its product with a sine or cosine does not.
C exponential(C z) {
  const double half = exponential(z.real() / 2), size = exponential(z.real());
  const double c = z.imag() == 0 ? 1 : apply<ops::Cos>(z.imag()),
               s = z.imag() == 0 ? z.imag() : apply<ops::Sin>(z.imag());
  if (std::isinf(size)) return {half * c * half, half * s * half};
  return {size * c, size * s};
}

C logarithm(C z) { return {logarithm_of_length(z.real(), z.imag()), angle(z.imag(), z.real())}; }

C hyperbolic_sine(C z) {
  return {apply<ops::Sinh>(z.real()) * apply<ops::Cos>(z.imag()),
          apply<ops::Cosh>(z.real()) * apply<ops::Sin>(z.imag())};
}

// ln((1 + z)/(1 − z))/2: |1 + z|² is |1 − z|² + 4x.
C inverse_hyperbolic_tangent(C z) {
  const double x = z.real(), y = z.imag(), less = 1 - x;
  return {0.25 * apply<ops::Log1p>(4 * x / (less * less + y * y)), 0.5 * angle(2 * y, less * (1 + x) - y * y)};
}

}  // namespace covec::kernels
