// The table of window kernels that each instruction set provides: they copy runs of elements side by side, and compute
// rows of pools. convolve.cpp and pool.cpp plan their use.
#pragma once

#include <cstdint>

#include "built/isas.hpp"
#include "stdlib/value/compute.hpp"

namespace covec::kernels {

// `length` neighbours of the image, from element `from` on, that come to lie at column `at` of a panel.
struct Run {
  int64_t from, at, length;
};

// Row t of the panel, of `padded` columns, takes its runs from image + offset[t]. With `exact` nothing behind a run is
// read; otherwise a register's worth of elements behind the image must be there to read. As much behind the panel is
// written to.
using CopyRuns = void (*)(const void* image, const int64_t* offset, int64_t k, const Run* runs, int64_t count,
                          bool exact, void* to, int64_t padded);

// A row of results without a panel, for few channels: c[r · c_row + j] (+)= Σ_t a[r · a_row + t] · image[offset[t] +
// j]. k is at most one block of a product. What `exact` is to copies.
struct ChainRow {
  const void* image;
  const int64_t* offset;
  int64_t k;
  const void* a;
  int64_t a_row;
  void* c;
  int64_t c_row;
  int64_t rows, length;
  bool exact, add;
};
using ChainRowKernel = void (*)(const ChainRow&);

// One row of a pool's results: windows of `height` rows, `row` elements apart, and `width` columns.
struct PoolRow {
  const void* in;   // the first row of the windows
  const void* end;  // of all that may be read
  int64_t row, height;
  int64_t columns;             // of the input
  int64_t out, width, stride;  // results and windows along the row
  int64_t before;              // padding in front of the row
  int64_t count;               // averages: what sums are divided by
  int64_t place;               // places: of the first element of the first row of windows in its image
  void* to;
};
using PoolRowKernel = void (*)(const PoolRow&);

struct WindowKernels {
  CopyRuns copy4, copy8;                 // by the size of an element
  ChainRowKernel chain[compute_count];   // by Compute
  PoolRowKernel largest[compute_count];  // likewise
  PoolRowKernel place[compute_count];    // where the largest are, as i64
  PoolRowKernel mean[compute_count];     // of floats
};

}  // namespace covec::kernels

COVEC_DECLARE_PER_ISA(const kernels::WindowKernels& window_kernels();)
