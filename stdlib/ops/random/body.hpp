// Defines one random number: Philox4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011), and
// how its words become numbers. These are templates over the vocabulary of pointwise bodies (I: 64-bit integers, T: a
// float type). So every instruction set and engine draws the same bits.
//
// Counter: (element's low word, high word, call's low word, high word); key: (low word, high word). Each element has a
// block of its own:
//
//   f32 uniform   the upper 24 bits of word 0, times 2^-24
//   f64 uniform   the upper 53 bits of words 0 and 1 (0 the higher), times 2^-53
//   normal        Box and Muller: sqrt(-2 log(1 - u)) cos(2 pi v), u and v being uniform, from words 0 and 1 (f32), 0
//                 to 3 (f64)
//
// The inverse of the normal distribution would need one number instead of two, but a branch for the tails.
#pragma once

#include <type_traits>

#include "stdlib/ops/elementwise/bodies/exponential.hpp"
#include "stdlib/ops/elementwise/bodies/trigonometric.hpp"

namespace covec::ops {

// 32-bit words, each in the low half of a 64-bit lane; the high halves hold anything.
template <class I>
struct Block {
  I word[4];
};

// `wide_product(a, b)` is the 64-bit product of the low halves. The key's words are one number for all elements
// (uint32_t), or like the counter's.
template <class I, class K>
Block<I> philox(Block<I> counter, K k0, K k1) {
  const I m0(0xD2511F53), m1(0xCD9E8D57), half(32);
  const auto lanes = [](K word) {
    if constexpr (std::is_same_v<K, I>)
      return word;
    else
      return I(static_cast<int64_t>(word));
  };
  auto& c = counter.word;
  for (int round = 0; round < 10; ++round) {
    const I p0 = wide_product(m0, c[0]), p1 = wide_product(m1, c[2]);
    c[0] = shift_right_logical(p1, half) ^ c[1] ^ lanes(k0);
    c[2] = shift_right_logical(p0, half) ^ c[3] ^ lanes(k1);
    c[1] = p1;
    c[3] = p0;
    k0 = k0 + K(0x9E3779B9);
    k1 = k1 + K(0xBB67AE85);
  }
  return counter;
}

// Words `high` and `high + 1` as one of 64 bits.
template <class I>
I pair_of(const Block<I>& block, int high) {
  return shift_left(block.word[high], I(32)) | (block.word[high + 1] & I(0xffffffff));
}

// In [0, 1), from the upper bits of an integer as wide as the float: all but one stand in the fraction of a number in
// [1, 2), the last is added.
template <class T>
T uniform_of(typename T::Integer word) {
  using I = typename T::Integer;
  using E = typename I::Element;
  constexpr int spare = 8 * sizeof(E) - Layout<T>::fraction;  // bits of a word that the fraction has no place for
  constexpr E one = static_cast<E>(E(Layout<T>::bias) << Layout<T>::fraction);
  const T high = from_bits(shift_right_logical(word, I(E(spare))) | I(one)) - T(1);
  const I last = shift_right_logical(word, I(E(spare - 1))) & I(E(1));
  return high + small_float<T>(last) * T(is_single<T> ? 0x1p-24f : 0x1p-53);
}

template <class T>
T normal_of(T u, T v) {
  constexpr auto two_pi = static_cast<typename T::Element>(0x1.921fb54442d18p+2);  // 2π, rounded
  return sqrt(T(-2) * logarithm(T(1) - u)) * circular(v * T(two_pi), 1);
}

}  // namespace covec::ops
