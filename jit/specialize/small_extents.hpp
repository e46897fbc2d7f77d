// Small extents of tensors, which code for loops knows: those of 1 to 8, of the last eight axes. One word a leaf holds
// them, four bits an axis, those of the last axis lowest; 0 in the place of an extent that is not small or may be any.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "stdlib/value/tensor_header.hpp"

namespace covec::jit {

using SmallExtents = uint32_t;
constexpr unsigned small_extent_bits = 4, small_extent_axes = 8;  // in a word of 32 bits
constexpr int64_t max_small_extent = 8;                           // chosen, not measured
static_assert(small_extent_bits * small_extent_axes <= 8 * sizeof(SmallExtents));
static_assert(max_small_extent < 1 << small_extent_bits);

inline SmallExtents small_extents(const Value& leaf) {
  if (!leaf.is_tensor()) return 0;
  const std::span<const int64_t> all = tensor_header(leaf).dims();
  SmallExtents word = 0;
  for (const int64_t extent : all.last(std::min<size_t>(all.size(), small_extent_axes)))
    word = word << small_extent_bits | static_cast<SmallExtents>(extent <= max_small_extent ? extent : 0);
  return word;
}

// That of an axis, which is counted from the last one.
inline SmallExtents extent_in(SmallExtents word, unsigned from_last) {
  if (from_last >= small_extent_axes) return 0;
  return word >> (small_extent_bits * from_last) & ((1U << small_extent_bits) - 1);
}
// All bits of an axis.
inline SmallExtents bits_of_axis(unsigned from_last) {
  return ((1U << small_extent_bits) - 1) << (small_extent_bits * from_last);
}
// All bits of the axes whose extents are small.
inline SmallExtents bits_of_small(SmallExtents word) {
  SmallExtents bits = 0;
  for (unsigned axis = 0; axis < small_extent_axes; ++axis) bits |= extent_in(word, axis) != 0 ? bits_of_axis(axis) : 0;
  return bits;
}

}  // namespace covec::jit
