// Lengths, quotients and square roots of complex numbers, made of operations that IEEE 754 defines. Those of the
// standard library (std::hypot, std::abs, std::sqrt, division) have other last bits with each C library and compiler's
// runtime, and a last bit can decide in which order eigenvalues are found. by_eigen.hpp has Eigen use them.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

namespace covec::kernels {

// √(x² + y²); inf where one is infinite.
template <class T>
T length(T x, T y) {
  constexpr bool single = sizeof(T) == 4;
  // Between them the larger square stays in range and keeps its digits; the others are scaled by a power of two.
  constexpr T small = single ? T(0x1p-50) : T(0x1p-450), large = single ? T(0x1p62) : T(0x1p510);
  constexpr T up = single ? T(0x1p100) : T(0x1p600), down = single ? T(0x1p-100) : T(0x1p-600);
  const T a = std::abs(x), b = std::abs(y), most = std::max(a, b);
  if (most > small && a < large && b < large) return std::sqrt(a * a + b * b);
  if (std::isinf(a) || std::isinf(b)) return std::numeric_limits<T>::infinity();
  const T scale = most >= large ? down : up, back = most >= large ? up : down;
  const T p = a * scale, q = b * scale;
  return std::sqrt(p * p + q * q) * back;
}
template <class T>
T length(std::complex<T> z) {
  return length(z.real(), z.imag());
}

// The principal one: its real part is not negative, and its imaginary part has the sign of z's.
template <class T>
std::complex<T> square_root(std::complex<T> z) {
  const T re = z.real(), im = z.imag(), x = std::abs(re), y = std::abs(im), most = std::max(x, y);
  if (std::isinf(y)) return {y, im};
  if (std::isinf(x)) {
    return re > 0 ? std::complex<T>(x, std::copysign(y * 0, im)) : std::complex<T>(y * 0, std::copysign(x, im));
  }
  if (most == 0) return {0, im};
  constexpr bool single = sizeof(T) == 4;
  // Squares of numbers, so that their roots are exact.
  constexpr T small = single ? T(0x1p-100) : T(0x1p-960), large = single ? T(0x1p124) : T(0x1p1020);
  const T scale = most < small ? T(single ? 0x1p48 : 0x1p108) : most > large ? T(0x1p-4) : T(1);
  const T back = most < small ? T(single ? 0x1p-24 : 0x1p-54) : most > large ? T(4) : T(1);
  const T p = x * scale, q = y * scale;
  const T larger = std::sqrt((p + length(p, q)) / 2), smaller = q / (2 * larger);
  return re < 0 ? std::complex<T>(smaller * back, std::copysign(larger * back, im))
                : std::complex<T>(larger * back, std::copysign(smaller * back, im));
}

// z / w of finite numbers, both scaled by powers of two so that products stay in range.
template <class T>
std::complex<T> quotient(std::complex<T> z, std::complex<T> w) {
  const auto exponent_of = [](std::complex<T> x) {
    const T most = std::max(std::abs(x.real()), std::abs(x.imag()));
    return most > 0 && std::isfinite(most) ? std::ilogb(most) : 0;
  };
  const auto scaled = [](std::complex<T> x, int by) {
    return std::complex<T>(std::ldexp(x.real(), by), std::ldexp(x.imag(), by));
  };
  const int above = exponent_of(z), below = exponent_of(w);
  const std::complex<T> a = scaled(z, -above), b = scaled(w, -below);
  const T square = b.real() * b.real() + b.imag() * b.imag();
  return scaled(
      {(a.real() * b.real() + a.imag() * b.imag()) / square, (a.imag() * b.real() - a.real() * b.imag()) / square},
      above - below);
}

}  // namespace covec::kernels
