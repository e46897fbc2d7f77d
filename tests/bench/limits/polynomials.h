// exp, sin, cos and log as polynomials of the accuracy that Covec's have, for arguments of ordinary size (nothing here
// looks after the others).
#pragma once

#include <stdint.h>
#include <string.h>

static inline float as_float(int32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline int32_t bits_of_float(float value) {
  int32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
static inline double as_double(int64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline int64_t bits_of_double(double value) {
  int64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// exp: x = k ln 2 + r, a polynomial in r, k added to the exponent.
static inline float exp32(float x) {
  const float shifted = __builtin_fmaf(x, 1.44269502f, 12582912.0f), k = shifted - 12582912.0f;
  const float r = __builtin_fmaf(k, 1.90465421e-9f, __builtin_fmaf(k, -0.693147182f, x));
  float p = __builtin_fmaf(r, 0.0013814864f, 0.008368749f);
  p = __builtin_fmaf(p, r, 0.041668385f);
  p = __builtin_fmaf(p, r, 0.1666652f);
  p = __builtin_fmaf(p, r, 0.49999994f);
  const float e = 1.0f + __builtin_fmaf(r * r, p, r);
  return as_float(bits_of_float(e) + (int32_t)((uint32_t)bits_of_float(shifted) << 23));
}
static inline double exp64(double x) {
  const double magic = 6755399441055744.0;
  const double shifted = __builtin_fma(x, 1.4426950408889634, magic), k = shifted - magic;
  const double r = __builtin_fma(k, -2.3190468138462996e-17, __builtin_fma(k, -0.69314718055994529, x));
  const double r2 = r * r, r4 = r2 * r2;
  const double low = __builtin_fma(__builtin_fma(0.0013888888947784948, r, 0.0083333333333222188), r2,
                                   __builtin_fma(0.041666666666522106, r, 0.16666666666666674));
  const double high = __builtin_fma(__builtin_fma(2.7632640480844442e-07, r, 2.7557242373033893e-06), r2,
                                    __builtin_fma(2.4801487366595518e-05, r, 0.00019841269886558148));
  const double p = __builtin_fma(2.5110036393128058e-08, r4 * r4, __builtin_fma(high, r4, low));
  const double e = 1.0 + __builtin_fma(r2, __builtin_fma(p, r, 0.5), r);
  return as_double(bits_of_double(e) + (int64_t)((uint64_t)bits_of_double(shifted) << 52));
}

// sin, and cos as sin a quarter on: x = k pi/2 + r, an odd or an even polynomial in r, a sign.
static inline float sin32(float x, int32_t quarter) {
  const float shifted = __builtin_fmaf(x, 0.636619747f, 12582912.0f), k = shifted - 12582912.0f;
  const float r = __builtin_fmaf(k, 4.37113883e-8f, __builtin_fmaf(k, -1.57079637f, x)), z = r * r;
  const float odd =
      __builtin_fmaf(r * z, __builtin_fmaf(__builtin_fmaf(-0.000195152956f, z, 0.00833216087f), z, -0.166666546f), r);
  const float even =
      __builtin_fmaf(z * z, __builtin_fmaf(__builtin_fmaf(2.44331571e-5f, z, -0.00138873162f), z, 0.0416666456f),
                     __builtin_fmaf(-0.5f, z, 1.0f));
  const int32_t n = bits_of_float(shifted) + quarter;
  const float value = n & 1 ? even : odd;
  return as_float(bits_of_float(value) ^ (int32_t)((uint32_t)(n & 2) << 30));
}
static inline double sin64(double x) {
  const double magic = 6755399441055744.0;
  const double shifted = __builtin_fma(x, 0.63661977236758138, magic), k = shifted - magic;
  const double high = __builtin_fma(k, -1.5707963267948966, x), tail = k * 6.123233995736766e-17;
  const double r = high - tail, rest = (high - r) - tail, z = r * r;
  double odd = __builtin_fma(1.5894710660513566e-10, z, -2.5050734572513075e-08);
  odd = __builtin_fma(__builtin_fma(odd, z, 2.7557313651863027e-06), z, -0.00019841269829840144);
  odd = __builtin_fma(__builtin_fma(odd, z, 0.0083333333333236621), z, -0.16666666666666641);
  odd = r + __builtin_fma(r * z, odd, rest);
  double even = __builtin_fma(-1.1367982221691715e-11, z, 2.0875897745613761e-09);
  even = __builtin_fma(__builtin_fma(even, z, -2.7557315738666894e-07), z, 2.4801587294628201e-05);
  even = __builtin_fma(__builtin_fma(even, z, -0.001388888888888284), z, 0.04166666666666665);
  even = __builtin_fma(z * z, even, __builtin_fma(-0.5, z, 1.0)) - r * rest;
  const int64_t n = bits_of_double(shifted);
  const double value = n & 1 ? even : odd;
  return as_double(bits_of_double(value) ^ (int64_t)((uint64_t)(n & 2) << 62));
}
// log of a positive number: the exponent, and a polynomial in m - 1 for m near 1.
static inline float log32(float x) {
  const int32_t bits = bits_of_float(x), e = (bits - 0x3f3504f3) >> 23;
  const float m = as_float(bits - (int32_t)((uint32_t)e << 23)) - 1.0f, k = (float)e;
  float p = __builtin_fmaf(m, 0.0703768358f, -0.115146101f);
  p = __builtin_fmaf(p, m, 0.116769985f);
  p = __builtin_fmaf(p, m, -0.124201410f);
  p = __builtin_fmaf(p, m, 0.142493233f);
  p = __builtin_fmaf(p, m, -0.166680574f);
  p = __builtin_fmaf(p, m, 0.200007141f);
  p = __builtin_fmaf(p, m, -0.249999940f);
  p = __builtin_fmaf(p, m, 0.333333313f);
  const float q = __builtin_fmaf(m * m, __builtin_fmaf(p, m, -0.5f), m);
  return __builtin_fmaf(k, 0.693147182f, q);
}
