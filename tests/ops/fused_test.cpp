// Fused multiply-adds by error-free sums, which wasm needs, against those of this machine.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#define COVEC_ISA fused_test
#include "stdlib/simd/fused.hpp"
#undef COVEC_ISA

namespace covec::fused_test {
namespace {

constexpr int rounds = 300000;  // of several triples each

using Random = std::mt19937_64;

// A number of any fraction whose exponent is one of [from, to).
template <class T>
T number(Random& random, int from, int to) {
  const auto fraction = static_cast<T>(1 + std::ldexp(static_cast<double>(random() >> 12), -52));
  const T size = std::ldexp(fraction, from + static_cast<int>(random() % static_cast<uint64_t>(to - from)));
  return (random() & 1) != 0 ? size : -size;
}

// With few bits, so that products and sums are often exact or in the middle of two numbers.
template <class T>
T short_number(Random& random) {
  const int bits = static_cast<int>(random() % std::numeric_limits<T>::digits);
  return std::ldexp(static_cast<T>(random() % 8 * 2 + 1), bits - 30) + (random() % 4 == 0 ? T(1) : T(0));
}

template <class T>
T special(Random& random) {
  using Limits = std::numeric_limits<T>;
  const T numbers[] = {
      0, 1, Limits::infinity(), Limits::quiet_NaN(), Limits::min(), Limits::max(), Limits::denorm_min()};
  const T size = numbers[random() % std::size(numbers)];
  return (random() & 1) != 0 ? size : -size;
}

template <class T>
T any_number(Random& random) {
  constexpr int most = std::numeric_limits<T>::max_exponent;
  const uint64_t kind = random() % 8;
  return kind < 4    ? number<T>(random, -30, 30)
         : kind < 5  ? number<T>(random, -most - 50, most)
         : kind == 5 ? number<T>(random, -most / 2 - 30, -most / 2 + 30)
         : kind == 6 ? short_number<T>(random)
                     : special<T>(random);
}

// What is added is often about as large as the product, or half a last place of it.
template <class T>
T any_addend(Random& random, T a, T b) {
  const T product = a * b;
  const uint64_t kind = random() % 4;
  if (kind == 0) return any_number<T>(random);
  if (kind == 1) return -product;
  if (kind == 2) return std::nextafter(-product, (random() & 1) != 0 ? product : T(0));
  constexpr int apart = 2 * std::numeric_limits<T>::digits + 10;
  const T size = std::ldexp((random() & 1) != 0 ? T(1) : product, static_cast<int>(random() % (2 * apart)) - apart);
  return (random() & 1) != 0 ? size : -size;
}

template <class T, class V, class Bits>
void check() {
  constexpr int count = sizeof(V) / sizeof(T);
  Random random(31);
  for (int round = 0; round < rounds; ++round) {
    V a, b, c;
    for (int i = 0; i < count; ++i) {
      const T left = any_number<T>(random), right = any_number<T>(random);
      a[i] = left, b[i] = right, c[i] = any_addend<T>(random, left, right);
    }
    const V got = fused(a, b, c);
    for (int i = 0; i < count; ++i) {
      const T number = got[i], wanted = std::fma(T(a[i]), T(b[i]), T(c[i]));
      if (std::isnan(number) && std::isnan(wanted)) continue;
      ASSERT_EQ(std::bit_cast<Bits>(number), std::bit_cast<Bits>(wanted))
          << std::hexfloat << a[i] << " " << b[i] << " " << c[i] << ": " << number << ", not " << wanted;
    }
  }
}

TEST(Fused, NumbersOf64BitsAreRoundedOnce) { check<double, FusedF64, uint64_t>(); }
TEST(Fused, NumbersOf32BitsAreRoundedOnce) { check<float, FusedF32, uint32_t>(); }

}  // namespace
}  // namespace covec::fused_test
