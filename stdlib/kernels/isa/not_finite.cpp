// Looks for exponents that are all ones, for one instruction set. The lowest bit of the exponent is added to a number
// without its sign: the sum reaches the sign's bit exactly where the exponent was all ones. The sums are collected by
// `or`, so there is one branch for a whole row.
#include "stdlib/kernels/not_finite.hpp"

namespace covec::COVEC_ISA {

namespace {

constexpr int vector_bytes = COVEC_ISA_LEVEL == 2 ? 64 : COVEC_ISA_LEVEL == 1 ? 32 : 16;  // of a register

template <class Bits>
bool any(const Bits* elements, int64_t count, Bits lowest) {
  typedef Bits V [[gnu::vector_size(vector_bytes), gnu::aligned(alignof(Bits)), gnu::may_alias]];
  constexpr int64_t width = vector_bytes / static_cast<int64_t>(sizeof(Bits));
  constexpr int64_t registers = 4;  // loads that are under way at once
  constexpr Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  const V magnitude = V{} + static_cast<Bits>(~sign), one = V{} + lowest;
  V found[registers] = {};
  int64_t i = 0;
  for (; i + registers * width <= count; i += registers * width) {
#pragma GCC unroll 4
    for (int64_t r = 0; r < registers; ++r)
      found[r] |= (*reinterpret_cast<const V*>(elements + i + r * width) & magnitude) + one;
  }
  const V all = (found[0] | found[1]) | (found[2] | found[3]);
  Bits bits = 0;
  for (int lane = 0; lane < width; ++lane) bits |= all[lane];
  for (; i < count; ++i) bits |= static_cast<Bits>((elements[i] & static_cast<Bits>(~sign)) + lowest);
  return (bits & sign) != 0;
}

}  // namespace

bool any_not_finite(const uint16_t* elements, int64_t count, uint16_t lowest) { return any(elements, count, lowest); }
bool any_not_finite(const uint32_t* elements, int64_t count, uint32_t lowest) { return any(elements, count, lowest); }
bool any_not_finite(const uint64_t* elements, int64_t count, uint64_t lowest) { return any(elements, count, lowest); }

}  // namespace covec::COVEC_ISA
