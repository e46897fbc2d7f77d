// The image that a convolution's windows slide over, virtually padded. Private to convolve*.cpp.
#pragma once

#include <algorithm>

#include "stdlib/kernels/convolve.hpp"
#include "stdlib/kernels/gemm_plan.hpp"

namespace covec::kernels {

// One axis of the virtual image: element i of the source lies at before + i (`before` may be negative), all else is
// zero. Window number o covers o·stride + i·dilation, i < window.
struct ImageAxis {
  int64_t source, before;
  int64_t out, window, stride, dilation;

  // Of the image, for windows that begin at `outs` neighbours.
  int64_t extent(int64_t outs) const { return (outs - 1) * stride + (window - 1) * dilation + 1; }
  bool as_it_lies() const { return before == 0 && extent(out) <= source; }
  // The source elements that lie in [from, to) of the image: [begin, end).
  int64_t begin(int64_t from) const { return std::max<int64_t>(0, from - before); }
  int64_t end(int64_t to) const { return std::min(source, to - before); }
};

// C(o, position) = Σ_k a(o, k) · image(k, position), for each example and group: what convolve and convolve_input are.
struct Correlation {
  Dtype dtype;
  int64_t examples, groups;
  int64_t out_channels, channels;  // of one group: of the result and of the image
  ImageAxis rows, columns;
  const std::byte* image;
  const std::byte* a;  // (groups, out_channels, k), row-major
  std::byte* c;

  int64_t k() const { return channels * rows.window * columns.window; }
  int64_t positions() const { return rows.out * columns.out; }
};

void correlate(ops::Context& context, const Correlation& correlation);

}  // namespace covec::kernels
