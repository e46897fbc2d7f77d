// Pair: the vocabulary for rules of elementwise operators on complex operands, as Derived is for partial(). Each step
// is a real operator on the parts. So one rule serves eager, taped, batched and compiled code, with the same bits in
// each. A real operand has no imaginary part: x·z is (x·a, x·b).
#pragma once

#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/elementwise/bodies/functions.hpp"
#include "stdlib/ops/elementwise/bodies/rounding.hpp"
#include "stdlib/ops/elementwise/derived.hpp"

namespace covec::ops {

struct Pair {
  Derived re, im;
  bool is_real = false;
  Derived imaginary() const { return is_real ? Derived(0.0) : im; }
};

// A part that goes on as it is beside a tensor of maybe another shape. Under a derivative it is a step of its own:
// where sizes are known only to the run it is broadcast, and cotangents must be added in one order on all engines.
Value as_own_step(Builder& builder, const Value& part, const Value& other);
// The imaginary part of a sum with a real number.
Derived imaginary_as_own_step(const Pair& z, const Derived& real);

inline Pair operator+(const Pair& z, const Pair& w) {
  if (z.is_real && w.is_real) return {z.re + w.re, {}, true};
  if (z.is_real) return {z.re + w.re, imaginary_as_own_step(w, z.re)};
  return {z.re + w.re, w.is_real ? imaginary_as_own_step(z, w.re) : z.im + w.im};
}
inline Pair operator-(const Pair& z) { return {-z.re, z.is_real ? Derived() : -z.im, z.is_real}; }
inline Pair operator-(const Pair& z, const Pair& w) {
  if (z.is_real && w.is_real) return {z.re - w.re, {}, true};
  if (z.is_real) return {z.re - w.re, -w.im};
  return {z.re - w.re, w.is_real ? imaginary_as_own_step(z, w.re) : z.im - w.im};
}
inline Pair operator*(const Pair& z, const Pair& w) {
  if (z.is_real && w.is_real) return {z.re * w.re, {}, true};
  if (z.is_real) return {z.re * w.re, z.re * w.im};
  if (w.is_real) return {z.re * w.re, z.im * w.re};
  return {z.re * w.re - z.im * w.im, z.re * w.im + z.im * w.re};
}
Pair operator/(const Pair& z, const Pair& w);
inline Pair conjugate(const Pair& z) { return {z.re, z.is_real ? Derived() : -z.im, z.is_real}; }
inline Pair times_i(const Pair& z) { return {-z.im, z.re}; }
inline Pair real_pair(const Derived& x) { return {x, {}, true}; }
// Where the condition holds the first.
Pair choose(const Derived& condition, const Pair& z, const Pair& w);

Derived modulus(const Pair& z);
Pair exponential(const Pair& z);
Pair exponential_less_one(const Pair& z);
Pair logarithm(const Pair& z);
Pair logarithm_one_plus(const Pair& z);
Pair binary_logarithm(const Pair& z);
Pair decimal_logarithm(const Pair& z);
Pair square_root(const Pair& z);
Pair power(const Pair& z, const Pair& w);
// Repeated squaring, |n| ≤ 16.
Pair integer_power(const Pair& z, int64_t n);
Pair hyperbolic_sine(const Pair& z);
Pair hyperbolic_cosine(const Pair& z);
Pair hyperbolic_tangent(const Pair& z);
Pair arcsine(const Pair& z);
Pair arccosine(const Pair& z);
Pair inverse_hyperbolic_cosine(const Pair& z);
Pair inverse_hyperbolic_tangent(const Pair& z);

}  // namespace covec::ops
