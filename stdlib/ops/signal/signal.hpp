// The signal family: convolutions and pools over the last one or two axes, with any axes of examples in front. `conv1d`
// and `conv2d` read their arguments in any of their forms and leave the sums to one operator. That operator, its
// transpose by the image and its transpose by the weights are each other's derivatives.
#pragma once

#include "stdlib/convolution/convolve.hpp"
#include "stdlib/convolution/pool.hpp"
#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& conv1d_entry();      // (x, w, bias=none, stride=1, padding=0, dilation=1, groups=1)
const Entry& conv2d_entry();      // the same
const Entry& max_pool2d_entry();  // (x, size, stride=none, padding=0, dilation=1)
const Entry& avg_pool2d_entry();  // the same

// What they are made of. `options`: axes (1 for conv1d, whose rows are one); whether padding is "same"; stride, padding
// and dilation of rows and columns; groups. Weights may have axes in front, which are then the image's first ones.
const Entry& convolve_entry();         // (x, w, *options)
const Entry& convolve_input_entry();   // (y, w, rows, columns, *options): the image that w spreads y over
const Entry& convolve_weight_entry();  // (y, x, leading, channels, rows, columns, *options): the weights between them
const Entry& per_channel_entry();      // (bias, channels, axes)
// `options` of pools: size, stride and padding of rows and columns.
const Entry& window_places_entry();        // (length, size, stride, padding, dilation, mean), of one axis with gaps
const Entry& largest_of_windows_entry();   // (x, *options)
const Entry& places_of_largest_entry();    // (x, *options): row · columns + column in the image
const Entry& read_places_entry();          // (x, places): elements of each image, in the places' shape
const Entry& add_at_places_entry();        // (y, places, rows, columns): its transpose
const Entry& mean_of_windows_entry();      // (x, *options)
const Entry& spread_over_windows_entry();  // (y, rows, columns, *options): its transpose

// Fourier transforms along the last axis. scale: 0 for 1, 1 for 1 / √n, 2 for 1 / n.
const Entry& fft_parts_entry();    // (re, im, scale=0, inverse=false): both parts along a new first axis
const Entry& rfft_parts_entry();   // (x, scale=0, doubled=false): likewise
const Entry& irfft_parts_entry();  // (re, im, n, scale=0, doubled=true)
const Entry& resized_entry();      // (x, size)

// What a call of convolve, convolve_input or convolve_weight is: a convolution for each of `leading` examples, the
// result's type, and which operands are cotangents (convolution/repair_nan.hpp). Throws what the operator does.
struct ConvolutionCall {
  Type type;
  kernels::Convolution convolution;
  int64_t leading = 1;
  uint64_t zeros = 0;
};
ConvolutionCall describe_convolution(Builder& builder, const Call& call);
// Of largest_of_windows, places_of_largest and mean_of_windows, whose operand has elements.
kernels::Pool2d describe_pool(const Call& call);
// Of spread_over_windows, which gives an `image`.
kernels::Pool2d describe_spread(const Call& call, const Type& image);

}  // namespace covec::ops
