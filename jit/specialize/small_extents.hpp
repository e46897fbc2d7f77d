// Small extents of tensors, which code for loops knows: those of 1 to 8, of the last eight axes. Where examples run one
// by one, as a condition differs between them, those of up to 16 are small: an example with such rows is then numbers,
// and many run at once. One word a leaf holds them, eight bits an axis, those of the last axis lowest; 0 in the place
// of an extent that is not small or may be any.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "stdlib/value/tensor_header.hpp"

namespace covec::jit {

using SmallExtents = uint64_t;
constexpr unsigned small_extent_bits = 8, small_extent_axes = 8;  // of a word: 64 bits
constexpr int64_t max_small_extent = 8, max_example_extent = 16;  // elements of an axis
static_assert(small_extent_bits * small_extent_axes <= 8 * sizeof(SmallExtents));
static_assert(max_example_extent < 1 << small_extent_bits);

// All of up to max_example_extent.
inline SmallExtents small_extents(const Value& leaf) {
  if (!leaf.is_tensor()) return 0;
  const std::span<const int64_t> all = tensor_header(leaf).dims();
  SmallExtents word = 0;
  for (const int64_t extent : all.last(std::min<size_t>(all.size(), small_extent_axes)))
    word = word << small_extent_bits | static_cast<SmallExtents>(extent <= max_example_extent ? extent : 0);
  return word;
}

// That of an axis, which is counted from the last one.
inline SmallExtents extent_in(SmallExtents word, unsigned from_last) {
  if (from_last >= small_extent_axes) return 0;
  return word >> (small_extent_bits * from_last) & ((SmallExtents{1} << small_extent_bits) - 1);
}
// All bits of an axis.
inline SmallExtents bits_of_axis(unsigned from_last) {
  return ((SmallExtents{1} << small_extent_bits) - 1) << (small_extent_bits * from_last);
}
// All bits of the axes whose extents are small.
inline SmallExtents bits_of_small(SmallExtents word) {
  SmallExtents bits = 0;
  for (unsigned axis = 0; axis < small_extent_axes; ++axis) bits |= extent_in(word, axis) != 0 ? bits_of_axis(axis) : 0;
  return bits;
}
// Those that are at most so large.
inline SmallExtents up_to(int64_t most, SmallExtents word) {
  for (unsigned axis = 0; most < max_example_extent && axis < small_extent_axes; ++axis) {
    if (static_cast<int64_t>(extent_in(word, axis)) > most) word &= ~bits_of_axis(axis);
  }
  return word;
}

}  // namespace covec::jit
