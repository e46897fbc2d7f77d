// Lengths, quotients and square roots of complex numbers, and functions of one number, against long double.
#include "stdlib/decompositions/complex_numbers.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <random>

#include "stdlib/kernels/elementary.hpp"

namespace covec::test {

namespace {

using Wide = std::complex<long double>;
constexpr int rounds = 20000;

// Of any size in [2^from, 2^to); every eighth is 0.
template <class T>
T number(std::mt19937_64& random, int from, int to) {
  if (random() % 8 == 0) return 0;
  const double fraction = 1 + std::ldexp(static_cast<double>(random() >> 12), -52);
  const T size =
      static_cast<T>(std::ldexp(fraction, from + static_cast<int>(random() % static_cast<uint64_t>(to - from))));
  return (random() & 1) != 0 ? size : -size;
}

// By how many units in the last place of its length.
template <class T>
long double units_off(std::complex<T> got, Wide wanted) {
  const long double length = std::abs(wanted), least = std::numeric_limits<T>::denorm_min();
  const long double unit = std::max(length * std::numeric_limits<T>::epsilon(), least);
  return std::abs(Wide(got.real(), got.imag()) - wanted) / unit;
}

template <class T>
void compare(int from, int to) {
  std::mt19937_64 random(7);
  for (int i = 0; i < rounds; ++i) {
    const std::complex<T> z(number<T>(random, from, to), number<T>(random, from, to)),
        w(number<T>(random, from, to), 1);
    const Wide wide(z.real(), z.imag());
    ASSERT_LE(units_off<T>(kernels::length(z), std::abs(wide)), 1) << z;
    const std::complex<T> root = kernels::square_root(z);
    ASSERT_LE(units_off(root, std::sqrt(wide)), 2) << z;
    ASSERT_GE(root.real(), 0);
    ASSERT_EQ(std::signbit(root.imag()), std::signbit(z.imag())) << z;
    const Wide quotient = wide / Wide(w.real(), 1);
    if (std::abs(quotient) < std::numeric_limits<T>::max() / 2) {
      ASSERT_LE(units_off(kernels::quotient(z, w), quotient), 3) << z << w;
    }
  }
}

}  // namespace

TEST(ComplexNumbers, OfAnySize) {
  compare<double>(-30, 30);
  compare<double>(-1074, 1022);
  compare<float>(-10, 10);
  compare<float>(-149, 126);
}

TEST(ComplexNumbers, AtTheEnds) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  using C = std::complex<double>;
  EXPECT_EQ(kernels::length(-inf, std::nan("")), inf);
  EXPECT_TRUE(std::isnan(kernels::length(1.0, std::nan(""))));
  EXPECT_EQ(kernels::square_root(C(1, inf)), C(inf, inf));
  EXPECT_EQ(kernels::square_root(C(inf, -1)), C(inf, 0));
  EXPECT_EQ(kernels::square_root(C(-inf, -1)), C(0, -inf));
  EXPECT_TRUE(std::signbit(kernels::square_root(C(0, -0.0)).imag()));
}

TEST(ComplexNumbers, Functions) {
  std::mt19937_64 random(8);
  for (int i = 0; i < rounds; ++i) {
    const std::complex<double> z(number<double>(random, -20, 5), number<double>(random, -20, 5));
    const Wide wide(z.real(), z.imag());
    ASSERT_LE(units_off(kernels::exponential(z), std::exp(wide)), 4) << z;
    ASSERT_LE(units_off(kernels::hyperbolic_sine(z), std::sinh(wide)), 4) << z;
    if (std::abs(z) > 0) {
      ASSERT_LE(units_off(kernels::logarithm(z), std::log(wide)), 4) << z;
    }
    if (std::abs(z) <= 0.5) {
      ASSERT_LE(units_off(kernels::inverse_hyperbolic_tangent(z), std::atanh(wide)), 4) << z;
    }
    const double x = std::abs(z.real());
    if (x > 0) {
      ASSERT_LE(units_off<double>(kernels::power(x, 0.2), std::pow(wide.real() < 0 ? -wide.real() : wide.real(), 0.2L)),
                4);
    }
  }
  // Where a plain logarithm of the length, e^x or its square would leave the range or lose digits.
  for (const Wide z : {Wide(1, 1e-9L), Wide(0.6L, 0.8L), Wide(5e-324L, 5e-324L), Wide(1.5e308L, -1.5e308L)}) {
    const std::complex<double> narrow(static_cast<double>(z.real()), static_cast<double>(z.imag()));
    EXPECT_LE(units_off(kernels::logarithm(narrow), std::log(Wide(narrow.real(), narrow.imag()))), 4) << z;
  }
  EXPECT_LE(units_off(kernels::exponential(std::complex<double>(710, 0.75)), std::exp(Wide(710, 0.75L))), 4);
}

}  // namespace covec::test
