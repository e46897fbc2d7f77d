// One group of neighbouring axes to reduce, as the passes over it see it. Private to reduce_*.cpp.
#pragma once

#include "stdlib/kernels/reduce.hpp"

namespace covec::kernels {

struct GroupPass {
  const ReduceKernel& kernel;
  const std::byte* data;
  Axes outer;  // kept axes before the group
  Axes group;  // reduced
  Axes inner;  // kept axes after it; none: the last axis is reduced
  int64_t outer_count, group_count, inner_count;
  std::byte* out;  // outer_count · inner_count results
};

// At least this many elements for a thread to be worth waking.
inline constexpr int64_t parallel_elements = 131072;
// Longer rows are cut: between the parts is a look at the interrupt flag.
inline constexpr int64_t longest_without_look = int64_t{1} << 22;

void reduce_lanes(ops::Context& context, const GroupPass& pass);    // the last axis is reduced
void reduce_columns(ops::Context& context, const GroupPass& pass);  // it is not

// Combines `count` accumulators of n elements, `step` bytes apart, pairwise into the first.
inline void combine_pairwise(const ReduceKernel& kernel, std::byte* partial, int64_t count, int64_t n, int64_t step) {
  for (int64_t distance = 1; distance < count; distance *= 2) {
    for (int64_t i = 0; i + distance < count; i += 2 * distance) {
      kernel.combine(partial + i * step, partial + (i + distance) * step, n);
    }
  }
}

// Partial results of consecutive blocks, kept as a counter in binary: digit `level` holds 2^level blocks. Adding a
// block carries; at the end what is left is combined from the right. That is 'pairs of neighbours, an odd one carried
// up'.
class BlockCounter {
 public:
  // `memory` holds slots_for(blocks) accumulators of n elements, `bytes` each.
  BlockCounter(const ReduceKernel& kernel, std::byte* memory, int64_t bytes, int64_t n)
      : kernel_(kernel), memory_(memory), bytes_(bytes), n_(n) {}
  static int64_t slots_for(int64_t blocks) {
    int levels = 1;
    while (blocks >> levels) ++levels;
    return levels + 1;
  }
  static constexpr int max_slots = 42;  // for any number of elements that fits into memory

  // Where the next block's result is to be written, before push().
  std::byte* next() const { return at(next_); }
  void push() {
    uint8_t slot = next_;
    int level = 0;
    for (; (blocks_ >> level) & 1; ++level) {
      kernel_.combine(at(level_[level]), at(slot), n_);
      free_[free_count_++] = slot;
      slot = level_[level];
    }
    level_[level] = slot;
    ++blocks_;
    next_ = free_count_ > 0 ? free_[--free_count_] : used_++;
  }
  // After at least one push.
  std::byte* result() {
    int level = __builtin_ctzll(blocks_);
    std::byte* sum = at(level_[level]);
    for (++level; blocks_ >> level; ++level) {
      if (((blocks_ >> level) & 1) == 0) continue;
      kernel_.combine(at(level_[level]), sum, n_);
      sum = at(level_[level]);
    }
    return sum;
  }

 private:
  std::byte* at(uint8_t slot) const { return memory_ + slot * bytes_; }

  const ReduceKernel& kernel_;
  std::byte* memory_;
  int64_t bytes_, n_;
  uint64_t blocks_ = 0;
  uint8_t next_ = 0, used_ = 1, free_count_ = 0;
  uint8_t level_[max_slots] = {}, free_[max_slots] = {};
};

}  // namespace covec::kernels
