// What each instruction set provides for reductions: a few loops per (kind, dtype), behind plain function pointers. The
// planning over them (axes, strides, threads) is in reduce.cpp and exists once. A kernel reads elements that are
// adjacent along one direction. Partial results ("accumulators") take acc_size bytes each, and combine() joins two of
// them.
#pragma once

#include <cstdint>

#include "built/isas.hpp"
#include "stdlib/value/compute.hpp"

namespace covec::kernels {

// float_sum adds integers and bools in f64 (for mean). Kinds without an order (max, min, any, all, integer sums) use
// the same loops.
enum class ReduceKind : uint8_t { sum, float_sum, prod, max, min, any, all };

inline constexpr int64_t lane_bytes = 256;    // of accumulators, when the last axis is reduced
inline constexpr int64_t rows_per_lane = 64;  // a block is rows_per_lane · lanes elements
// Rows of a block: the language's order of additions (docs/language.md).
inline constexpr int64_t column_block_rows = 1024;
inline constexpr int64_t narrow_together = 8;  // blocks of few columns that are reduced side by side
inline constexpr int64_t accumulator_padding =
    64;  // accumulator arrays of columns are read and written in multiples of this (bytes)

struct ReduceKernel {
  Compute out;
  uint8_t in_size, acc_size, out_size;
  int64_t lanes;  // lane_bytes / acc_size
  int64_t block() const { return rows_per_lane * lanes; }

  // `rows` rows of n ≥ 1 adjacent elements each, row_stride elements apart: one result for each.
  void (*rows)(const void* x, int64_t rows, int64_t row_stride, int64_t n, void* out);
  // Any number of blocks of adjacent elements, combined pairwise: one accumulator per lane.
  void (*blocks)(const void* x, int64_t n, void* lanes);
  // The lanes' final tree. `width` results side by side: lane l of result j is acc[l · width + j].
  void (*fold)(void* lanes, int64_t width, void* out);
  // Adds `rows` rows of `width` adjacent elements into acc[width], row after row; fresh: acc starts anew. Reads and
  // writes acc up to a multiple of accumulator_padding.
  void (*column_rows)(const void* x, int64_t rows, int64_t row_stride, int64_t width, void* acc, bool fresh);
  // Several blocks of `rows` rows at once, block_stride elements apart, of width ≤ narrow columns: their chains hide
  // each other's latency. Block i goes to acc + i · accumulator_padding bytes.
  void (*narrow_blocks)(const void* x, int64_t rows, int64_t row_stride, int64_t block_stride, int64_t width,
                        void* acc);
  int64_t narrow;
  // As column_rows where row p belongs to lane (first + p) mod lanes: acc[lanes][padded width].
  void (*lane_rows)(const void* x, int64_t first, int64_t rows, int64_t row_stride, int64_t width, void* acc,
                    int64_t acc_width);
  void (*clear)(void* acc, int64_t n);
  // into[i] = into[i] ∘ from[i]
  void (*combine)(void* into, const void* from, int64_t n);
  void (*finish)(const void* acc, int64_t n, void* out);
};

// The state of a search for the first largest (or smallest) element: its key, an integer that orders like the elements
// (NaN first of all), and its position; position < 0: nothing seen yet.
struct ArgState {
  int64_t key = 0;
  int64_t position = -1;
};

struct ArgKernel {
  uint8_t in_size;
  // n adjacent elements, the first at `position`.
  void (*row)(const void* x, int64_t n, int64_t position, ArgState* state);
  // `rows` rows of `width` adjacent elements: keys[j] and positions[j] for each column; the first row is at `position`.
  void (*columns)(const void* x, int64_t rows, int64_t row_stride, int64_t width, int64_t position, int64_t* keys,
                  int64_t* positions);
};

}  // namespace covec::kernels

// One pair of functions per instruction set; nullptr where a kind has no meaning for a dtype.
COVEC_DECLARE_PER_ISA(const kernels::ReduceKernel* reduce_kernel(kernels::ReduceKind kind, Compute compute);
                      const kernels::ArgKernel* arg_kernel(bool smallest, Compute compute);)
