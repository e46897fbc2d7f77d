// lgamma and digamma of negative numbers, by reflection. The terms cancel near roots, so each is a sum of two floats,
// accurate to about 2^-60. This is slower than for positive numbers, and only behind rare(). Constants: polynomials.py.
// Start at gamma_logarithm_reflected().
#pragma once

#include "stdlib/ops/elementwise/bodies/power.hpp"

namespace covec::ops {

// x·(ln Γ(x) − (x − ½)·ln x + x − ln(2π)/2) in w = 1/x² ≤ 1/64.
template <class T>
[[gnu::always_inline]] inline T stirling_series(T w) {
  return polynomial(w, 0x1.5555555555553p-4, -0x1.6c16c16bb84b5p-9, 0x1.a019fd44cd99dp-11, -0x1.380ec92a02589p-11,
                    0x1.b6fda003178d2p-11, -0x1.b162de9f197aep-10);
}

// x²·(ln x − 1/(2x) − ψ(x)) in w = 1/x² ≤ 1/16.
template <class T>
[[gnu::always_inline]] inline T digamma_series(T w) {
  return polynomial(w, 0x1.5555555555553p-4, -0x1.11111111036f5p-7, 0x1.041040c903bf6p-8, -0x1.1110df2cb9c6ep-8,
                    0x1.f0667a6a641b1p-8, -0x1.5835cc14685a6p-6, 0x1.474431a4507bbp-4, -0x1.66f42be567f81p-2,
                    0x1.55338d0f8e0c9p+0, -0x1.689111362813cp+1);
}

template <class T>
[[gnu::always_inline]] inline Double<T> exact_sum(T a, T b) {
  const T sum = a + b, back = sum - a;
  return {sum, (a - (sum - back)) + (b - back)};
}
template <class T>
[[gnu::always_inline]] inline Double<T> sum_of(const Double<T>& a, const Double<T>& b) {
  const Double<T> sum = exact_sum(a.high, b.high);
  const T low = sum.low + (a.low + b.low), high = sum.high + low;
  return {high, (sum.high - high) + low};
}
template <class T>
[[gnu::always_inline]] inline Double<T> sum_of(const Double<T>& a, T b) {
  const Double<T> sum = exact_sum(a.high, b);
  const T low = sum.low + a.low, high = sum.high + low;
  return {high, (sum.high - high) + low};
}
template <class T>
[[gnu::always_inline]] inline Double<T> product_of(const Double<T>& a, const Double<T>& b) {
  const T product = a.high * b.high;
  const T low = fma(a.high, b.high, -product) + fma(a.high, b.low, a.low * b.high), high = product + low;
  return {high, (product - high) + low};
}
template <class T>
[[gnu::always_inline]] inline Double<T> product_of(const Double<T>& a, T b) {
  const T product = a.high * b;
  const T low = fma(a.high, b, -product) + a.low * b, high = product + low;
  return {high, (product - high) + low};
}
template <class T>
[[gnu::always_inline]] inline Double<T> reciprocal_of(const Double<T>& a) {
  const T quotient = T(1) / a.high;
  return {quotient, fma(-quotient, a.low, fma(-quotient, a.high, T(1))) * quotient};
}
template <class T>
[[gnu::always_inline]] inline Double<T> negated(const Double<T>& a) {
  return {-a.high, -a.low};
}
template <class T>
[[gnu::always_inline]] inline Double<T> logarithm_of(const Double<T>& a) {
  const Double<T> high = precise_logarithm(a.high);
  return {high.high, high.low + a.low / a.high};
}

// 1 − x is raised by so much, to where the asymptotic series are exact.
inline constexpr int reflection_shift = 8;

// π·cot(πx) for x = n + f, |f| ≤ ½: 1/f + 1/(f − 1) + 1/(f + 1) − f·Σ 2(ζ(2k) − 1)·f²ᵏ⁻², k ≥ 1.
template <class T>
[[gnu::always_inline]] inline Double<T> cotangent_of_pi_times(T f) {
  const T v = f * f, v_low = fma(f, f, -v);
  const T tail =
      v * polynomial(v, 0x1.1c26130249124p-5, 0x1.0b36af86396e9p-7, 0x1.04b8ce96ee5f8p-9, 0x1.020a5b2cd3042p-11,
                     0x1.00e4af2b4e156p-13, 0x1.0064cdeb22f0fp-15, 0x1.002c9953744ccp-17, 0x1.0013c594466eap-19,
                     0x1.0008c66cec77dp-21, 0x1.0003e59ffde12p-23, 0x1.0001bb316ccdap-25, 0x1.0000c4ed05ae3p-27,
                     0x1.00005782aaebep-29, 0x1.000026e3f644fp-31, 0x1.00001148ad653p-33);
  const Double<T> second = sum_of(Double<T>{T(0x1.51322ac7d8483p-3), T(0x1.afc89088cb729p-57)}, tail);
  const Double<T> series =
      sum_of(Double<T>{T(0x1.4a34cc4a60fa6p+0), T(0x1.1873d8912200cp-54)}, product_of(second, Double<T>{v, v_low}));
  const Double<T> near = reciprocal_of(Double<T>{f, T(0)});
  const Double<T> near_poles = sum_of(reciprocal_of(exact_sum(f, T(-1))), reciprocal_of(exact_sum(f, T(1))));
  return sum_of(near, sum_of(near_poles, product_of(series, -f)));
}

// ψ(x) = ψ(1 − x) − π·cot(πx) for negative x, no integer: with z = 1 − x + 8, ψ(1 − x) is ψ(z) less Σ 1/(1 − x + i).
template <class T>
[[gnu::always_inline]] inline T digamma_reflected(T x) {
  const Double<T> y = exact_sum(T(1), -x);
  Double<T> less = cotangent_of_pi_times(x - round_even(x));
  for (int i = 0; i < reflection_shift; ++i) less = sum_of(less, reciprocal_of(sum_of(y, T(i))));
  const Double<T> z = sum_of(y, T(reflection_shift));
  const Double<T> inverse = reciprocal_of(z), half = {T(0.5) * inverse.high, T(0.5) * inverse.low};
  const T w = inverse.high * inverse.high;
  less = sum_of(less, sum_of(half, w * digamma_series(w)));
  const Double<T> sum = sum_of(logarithm_of(z), negated(less));
  return sum.high + sum.low;
}

// ln |Γ(x)| = ln(π/|sin(πx)|) − ln Γ(1 − x) for negative x, no integer. With x = n + f, |f| ≤ ½, the sine is
// πf·(1 − f²)·exp(−Σ (ζ(2k) − 1)/k·f²ᵏ), k ≥ 1; with z = 1 − x + 8, Γ(1 − x) is Γ(z)/Π(1 − x + i).
template <class T>
[[gnu::always_inline]] inline T gamma_logarithm_reflected(T x) {
  const Double<T> y = exact_sum(T(1), -x);
  const T f = x - round_even(x), v = f * f, v_low = fma(f, f, -v);
  const Double<T> rest = sum_of(exact_sum(T(1), -v), -v_low);
  Double<T> quotient = reciprocal_of(product_of(rest, magnitude(f)));
  for (int i = 0; i < reflection_shift; ++i) quotient = product_of(quotient, sum_of(y, T(i)));
  const T tail =
      v * polynomial(v, 0x1.51322ac7d8483p-5, 0x1.7add6eadb6c30p-8, 0x1.0b36af86396e9p-10, 0x1.a127b0f17d65ap-13,
                     0x1.580dcee66eb02p-15, 0x1.2597a39f34aacp-17, 0x1.0064cdeb22f0fp-19, 0x1.c76bbb3f07a4dp-22,
                     0x1.99b93c2070b0fp-24, 0x1.7469daccfadcdp-26, 0x1.555a877ffd2c3p-28, 0x1.3b15d2b2fc10cp-30,
                     0x1.24932a337434cp-32);
  const Double<T> series = sum_of(Double<T>{T(0x1.4a34cc4a60fa6p-1), T(0x1.1873d8912200cp-55)}, tail);
  const Double<T> sine = product_of(series, Double<T>{v, v_low});
  const Double<T> z = sum_of(y, T(reflection_shift));
  const T inverse = T(1) / z.high;
  const Double<T> power = product_of(sum_of(z, T(-0.5)), sum_of(logarithm_of(z), T(-1)));
  constexpr double constant = 0x1.acfe390c97d69p-2, constant_low = 0x1.3494bc9001442p-56;  // ln(2π)/2 − ½
  const Double<T> stirling =
      sum_of(power, sum_of(Double<T>{T(constant), T(constant_low)}, inverse * stirling_series(inverse * inverse)));
  const Double<T> sum = sum_of(sum_of(logarithm_of(quotient), sine), negated(stirling));
  return sum.high + sum.low;
}

}  // namespace covec::ops
