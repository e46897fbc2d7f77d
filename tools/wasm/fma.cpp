// Fused multiply-add, exact to the last bit: wasm has no instruction for it, and the C library computes with integers.
// Where no exponent is extreme, the errors of a product and of sums are numbers themselves, and the result is theirs
// (S. Boldo, G. Melquiond: Emulation of FMA and correctly rounded sums, IEEE Transactions on Computers 57, 2008).
#include <bit>
#include <cstdint>

namespace {

struct Pair {
  double rounded, rest;  // their sum is exact
};

Pair sum(double a, double b) {
  const double rounded = a + b, of_b = rounded - a;
  return {rounded, (a - (rounded - of_b)) + (b - of_b)};
}

// Its upper half, of 26 bits.
double upper(double a) {
  constexpr double split = 134217729;  // 2^27 + 1
  const double scaled = split * a;
  return scaled - (scaled - a);
}

Pair product(double a, double b) {
  const double rounded = a * b, a1 = upper(a), b1 = upper(b), a2 = a - a1, b2 = b - b1;
  return {rounded, ((a1 * b1 - rounded) + a1 * b2 + a2 * b1) + a2 * b2};
}

// The sum, rounded to the neighbour whose last bit is 1 where it is no number: rounding it again gives what rounding
// once had given.
double sum_to_odd(double a, double b) {
  const Pair s = sum(a, b);
  const auto bits = std::bit_cast<int64_t>(s.rounded);
  if (s.rest == 0 || (bits & 1) != 0) return s.rounded;
  return std::bit_cast<double>((s.rest > 0) == (s.rounded > 0) ? bits + 1 : bits - 1);
}

// Neither the product nor an error of it leaves the range where numbers have all their bits.
bool is_moderate(double x) {
  constexpr uint64_t least = 1023 - 400, count = 800;  // exponents as they are stored
  return (std::bit_cast<uint64_t>(x) >> 52 & 0x7ff) - least < count;
}

}  // namespace

// The linker gives calls of fma() and fmaf() to these (--wrap). Of fma() what is extreme goes on to the C library's.
// The library's fmaf() needs other modes of rounding, which wasm has not, and is wrong where only the last sum is
// inexact.
extern "C" {

double __real_fma(double a, double b, double c);

double __wrap_fma(double a, double b, double c) {
  if (c == 0 && a != 0 && b != 0) return a * b;  // the library's loses the sign of what is too small
  if (!is_moderate(a) || !is_moderate(b) || !is_moderate(c)) return __real_fma(a, b, c);
  const Pair p = product(a, b), low = sum(c, p.rest), high = sum(p.rounded, low.rounded);
  return high.rounded + sum_to_odd(low.rest, high.rest);
}

float __wrap_fmaf(float a, float b, float c) {
  const double product = static_cast<double>(a) * b, wide = product + c;  // the product is exact
  if (wide - wide != 0) return static_cast<float>(wide);                  // infinite or NaN
  return static_cast<float>(sum_to_odd(product, c));
}

}  // extern "C"
