// Computes convolutions (cross-correlations) as matrix products. The right operand, the windows of an image side by
// side, is never built as a whole: its pieces are gathered as tiles need them. The bits are those of the product
// (gemm.hpp) given at each function, whatever the processor, the pieces and the threads.
#pragma once

#include <cstddef>

#include "stdlib/convolution/window_axis.hpp"
#include "stdlib/value/context.hpp"
#include "stdlib/value/dtype.hpp"

namespace covec::kernels {

// Row-major: x is (examples, groups·in_channels, rows.in, columns.in), w is (groups·out_channels, in_channels,
// rows.window, columns.window), y is (examples, groups·out_channels, rows.out, columns.out). dtype is i32, i64, f32 or
// f64.
struct Convolution {
  Dtype dtype;
  int64_t examples, groups;
  int64_t out_channels, in_channels;  // of one group
  WindowAxis rows, columns;
};

// y = w · windows of x: k is (channel, row, column) of the window.
void convolve(ops::Context& context, const Convolution& c, const std::byte* x, const std::byte* w, std::byte* y);
// Its transpose by x: the windows of y times w flipped; k is (channel of y, row, column) of what of the flipped
// window meets the element.
void convolve_input(ops::Context& context, const Convolution& c, const std::byte* y, const std::byte* w, std::byte* x);
// Its transpose by w: k is (example, row, column) of y.
void convolve_weight(ops::Context& context, const Convolution& c, const std::byte* y, const std::byte* x, std::byte* w);

}  // namespace covec::kernels
