// exp, sin, cos and log within one unit in the last place, as Covec's are, for arguments of ordinary size (nothing here
// looks after the others): the same reductions and polynomials, so that what is lost at each step is the same.
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

// Coefficients c0 + c1 x + ..., neighbours joined first (Estrin); c0 is added last.
#define FMA32 __builtin_fmaf
#define FMA64 __builtin_fma

// exp: x = k ln 2 + r; e^r is 7/8 + (1/8 + r + r^2 p): the last sum alone is rounded as coarsely as the result.
static inline float exp32(float x) {
  const float shifted = FMA32(x, 0x1.715476p+0f, 0x1.8p23f), k = shifted - 0x1.8p23f;
  const float r = FMA32(k, 0x1.05c61p-29f, FMA32(k, -0x1.62e43p-1f, x)), r2 = r * r;
  const float low = FMA32(0x1.55547p-5f, r, 0x1.555556p-3f), high = FMA32(0x1.6da758p-10f, r, 0x1.1110acp-7f);
  const float p = FMA32(FMA32(r2 * r2, 0x1.a17df4p-13f, FMA32(high, r2, low)), r, 0.5f);
  const float e = 0.875f + FMA32(r2, p, r + 0.125f);
  return as_float(bits_of_float(e) + (int32_t)((uint32_t)bits_of_float(shifted) << 23));
}
static inline double exp64(double x) {
  const double shifted = FMA64(x, 0x1.71547652b82fep+0, 0x1.8p52), k = shifted - 0x1.8p52;
  const double r = FMA64(k, -0x1.abc9e3b39803fp-56, FMA64(k, -0x1.62e42fefa39efp-1, x)), r2 = r * r, r4 = r2 * r2;
  const double a = FMA64(0x1.55555555503f4p-5, r, 0x1.5555555555558p-3);
  const double b = FMA64(0x1.6c16c185fddccp-10, r, 0x1.111111110f80ap-7);
  const double c = FMA64(0x1.a01993bee6f03p-16, r, 0x1.a01a01b00936ep-13);
  const double d = FMA64(0x1.28b40616e968ep-22, r, 0x1.71ddf6bc20b09p-19);
  const double joined = FMA64(r4 * r4, 0x1.af631ba2c643cp-26, FMA64(FMA64(d, r2, c), r4, FMA64(b, r2, a)));
  const double e = 0.875 + FMA64(r2, FMA64(joined, r, 0x1.0000000000009p-1), r + 0.125);
  return as_double(bits_of_double(e) + (int64_t)((uint64_t)bits_of_double(shifted) << 52));
}

// sin, and cos as sin a quarter on: x = k pi/2 + r - below, an odd or an even polynomial in r, a sign.
static inline float sin32(float x, int32_t quarter) {
  const float shifted = FMA32(x, 0x1.45f306p-1f, 0x1.8p23f), k = shifted - 0x1.8p23f;
  const float first = FMA32(k, -0x1.921fb4p+0f, x), r = FMA32(k, -0x1.444p-24f, first), z = r * r;
  const float below = FMA32(k, 0x1.68c234p-39f, FMA32(k, 0x1.444p-24f, r - first));
  const float s = FMA32(FMA32(z * z, -0x1.6cb728p-19f, FMA32(0x1.a00f38p-13f, z, -0x1.111108p-7f)), z, 0x1.555556p-3f);
  const float odd = r - FMA32(r * z, s, below);
  const float c = FMA32(FMA32(0x1.9a6f18p-16f, z, -0x1.6c0e78p-10f), z, 0x1.55554ep-5f);
  const float even = 0.875f + FMA32(z * z, c, FMA32(-0.5f * r, r, FMA32(r, below, 0.125f)));
  const int32_t n = bits_of_float(shifted) + quarter;
  const float value = n & 1 ? even : odd;
  return as_float(bits_of_float(value) ^ (int32_t)((uint32_t)(n & 2) << 30));
}
static inline double sin64(double x) {
  const double shifted = FMA64(x, 0x1.45f306dc9c883p-1, 0x1.8p52), k = shifted - 0x1.8p52;
  const double first = FMA64(k, -0x1.921fb54442d18p+0, x), r = FMA64(k, -0x1.1a62632p-54, first), z = r * r, z2 = z * z;
  const double below = FMA64(k, 0x1.145c06e0e6894p-82, FMA64(k, 0x1.1a62632p-54, r - first));
  const double sa = FMA64(0x1.a01a019c2feb0p-13, z, -0x1.111111110fb4ap-7);
  const double sb = FMA64(0x1.ae5e4bb8b64e6p-26, z, -0x1.71de356eb16fbp-19);
  const double s = FMA64(FMA64(z2 * z2, -0x1.5d8744299a66fp-33, FMA64(sb, z2, sa)), z, 0x1.555555555554cp-3);
  const double odd = r - FMA64(r * z, s, below);
  const double ca = FMA64(0x1.a01a019e248cep-16, z, -0x1.6c16c16c16131p-10);
  const double cb = FMA64(0x1.1eea890fc7415p-29, z, -0x1.27e4f903adfdcp-22);
  const double c = FMA64(FMA64(z2 * z2, -0x1.8ff9ae55b2661p-37, FMA64(cb, z2, ca)), z, 0x1.5555555555553p-5);
  const double even = 0.875 + FMA64(z2, c, FMA64(-0.5 * r, r, FMA64(r, below, 0.125)));
  const int64_t n = bits_of_double(shifted);
  const double value = n & 1 ? even : odd;
  return as_double(bits_of_double(value) ^ (int64_t)((uint64_t)(n & 2) << 62));
}

// log of a positive number: the exponent, and for m = 1 + f near 1, s = f/(2 + f): f - f^2/2 + s (f^2/2 + s^2 p).
static inline float log32(float x) {
  const int32_t bits = bits_of_float(x), e = (bits - 0x3f3504f3) >> 23;
  const float f = as_float(bits - (int32_t)((uint32_t)e << 23)) - 1.0f, k = (float)e;
  const float s = f / (2.0f + f), z = s * s, half = 0.5f * f * f;
  const float p = FMA32(FMA32(z * z, 0x1.e3aff8p-3f, FMA32(0x1.243588p-2f, z, 0x1.999a7ep-2f)), z, 0x1.555556p-1f);
  const float rest = FMA32(s, FMA32(z, p, half), k * 0x1.7f7d1cp-20f) - half;
  return FMA32(k, 0x1.62e4p-1f, f + rest);
}
