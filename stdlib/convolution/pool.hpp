// Pools: the maximum or the mean of each window of images. Padding does not count. Rows of results are distributed over
// the threads.
#pragma once

#include <cstddef>

#include "stdlib/convolution/window_axis.hpp"
#include "stdlib/value/context.hpp"
#include "stdlib/value/dtype.hpp"

namespace covec::kernels {

// Row-major images and results; dilations are 1.
struct Pool2d {
  Dtype dtype;
  int64_t images;
  WindowAxis rows, columns;
};

// NaN where the window has one.
void pool_largest(ops::Context& context, const Pool2d& pool, const std::byte* x, std::byte* to);
// Added row by row, divided by the window's size, padding included; floats.
void pool_mean(ops::Context& context, const Pool2d& pool, const std::byte* x, std::byte* to);
// Where the largest is: row · columns.in + column, of the first if there are several; of the first NaN.
void pool_places(ops::Context& context, const Pool2d& pool, const std::byte* x, int64_t* to);
// The transpose of pool_mean: each element gets its share of every window that it is in, in the windows' order.
void spread_mean(ops::Context& context, const Pool2d& pool, const std::byte* y, std::byte* to);
// to[i] = x[places[i]] of the same image, and its transpose, added in order. `inside` and `outside` are the sizes of an
// image and of a result; floats.
void read_places(ops::Context& context, Dtype dtype, int64_t images, int64_t inside, int64_t outside,
                 const std::byte* x, const int64_t* places, std::byte* to);
void add_at_places(ops::Context& context, Dtype dtype, int64_t images, int64_t inside, int64_t outside,
                   const std::byte* y, const int64_t* places, std::byte* to);

}  // namespace covec::kernels
