// Walks strided elements: it merges axes where strides allow, turns an index into an offset, and copies runs into a
// buffer. Reductions and products share it for operands that are not row-major.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/tensor/scratch.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::kernels {

// Some axes of an operand, outermost first. Offsets count elements.
struct Axes {
  unsigned count = 0;
  int64_t dim[max_rank];
  int64_t stride[max_rank];

  void push(int64_t d, int64_t s) {
    dim[count] = d;
    stride[count++] = s;
  }
  // Drops axes of one element and merges the new axis with the one before it where the two are one run.
  void push_merged(int64_t d, int64_t s);
  int64_t elements() const;
  int64_t offset(int64_t index) const;  // of the index-th element, row-major
  // All elements lie next to each other.
  bool adjacent() const { return count == 0 || (count == 1 && stride[0] == 1); }
  int64_t last_dim() const { return count == 0 ? 1 : dim[count - 1]; }
  int64_t last_stride() const { return count == 0 ? 1 : stride[count - 1]; }
  Axes without_last() const;
};

// An operand of any rank (0 too) and any strides.
struct StridedInput {
  const std::byte* data;
  Dtype dtype;
  unsigned rank;
  int64_t dims[max_rank];
  int64_t strides[max_rank];
};
StridedInput strided(const Value& value);  // the value must stay where it is while the result is used

// Makes one axis of neighbours that each operand walks through as one run, and drops axes of one element. All operands
// have the same dimensions.
void merge_together(std::span<Axes> operands);

// Calls body(offset, first, n) for the runs along the last axis that make up elements [begin, end), in order: `first`
// counts from begin.
template <class F>
void each_run(const Axes& axes, int64_t begin, int64_t end, F&& body) {
  if (begin >= end) return;
  const int64_t run = axes.last_dim(), stride = axes.last_stride();
  const unsigned outer = axes.count == 0 ? 0 : axes.count - 1;
  int64_t index[max_rank], row = begin / run, inside = begin % run, offset = 0;
  for (unsigned i = outer; i-- > 0; row /= axes.dim[i]) {
    index[i] = row % axes.dim[i];
    offset += index[i] * axes.stride[i];
  }
  for (int64_t p = begin; p < end; inside = 0) {
    const int64_t n = end - p < run - inside ? end - p : run - inside;
    body(offset + inside * stride, p - begin, n);
    p += n;
    for (unsigned i = outer; i-- > 0;) {
      offset += axes.stride[i];
      if (++index[i] < axes.dim[i]) break;
      index[i] = 0;
      offset -= axes.dim[i] * axes.stride[i];
    }
  }
}

// Copies elements [begin, end) of `axes` (row-major) into `to`, next to each other.
void pack(const std::byte* data, const Axes& axes, int64_t begin, int64_t end, size_t size, std::byte* to);

// The same of n elements along one stride.
void pack_run(const std::byte* data, int64_t stride, int64_t n, size_t size, std::byte* to);

// The first `period` bytes again and again, up to `bytes`.
void repeat_bytes(std::byte* data, size_t period, size_t bytes);

// Copies a tile of columns: to[r · to_stride + c] = data[r · row_stride + c · column_stride].
void pack_tile(const std::byte* data, int64_t rows, int64_t row_stride, int64_t columns, int64_t column_stride,
               size_t size, std::byte* to, int64_t to_stride);

// One piece of memory per running thread, allocated beforehand: kernels must not allocate inside a parallel region. At
// most context.threads bodies run at a time; each takes a free slot.
class ScratchSlots {
 public:
  ScratchSlots(ops::Context& context, uint64_t bytes_each);  // OpError(out_of_memory)
  class Slot {
   public:
    explicit Slot(ScratchSlots& slots);
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    ~Slot();
    std::byte* data() const { return slots_.scratch_.data() + index_ * slots_.bytes_each_; }

   private:
    ScratchSlots& slots_;
    size_t index_;
  };

 private:
  static constexpr unsigned max_slots = 64;  // a bit each in taken_
  unsigned count_;
  size_t bytes_each_;
  Scratch scratch_;
  std::atomic<uint64_t> taken_{0};
};

// parallel_for over few large units: pieces may be as small as one unit.
template <class F>
void parallel_units(ops::Context& context, int64_t units, int64_t grain, F&& body) {
  constexpr int64_t quantum = 64;  // pieces of parallel_for are multiples of it
  parallel_for(context, units * quantum, grain * quantum,
               [&](int64_t begin, int64_t end) { body(begin / quantum, end / quantum); });
}

}  // namespace covec::kernels
