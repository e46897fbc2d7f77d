// The virtually padded image that a convolution's windows slide over, shared by the code that computes convolutions.
#pragma once

#include <algorithm>
#include <numeric>

#include "stdlib/convolution/convolve.hpp"
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

inline ImageAxis forwards(const WindowAxis& axis) {
  return {axis.in, axis.before, axis.out, axis.window, axis.stride, axis.dilation};
}

// Every stride-th element of the input meets the same elements of the window: those of number first, first + step, …,
// `count` of them. They are reached from the result's elements as flipped windows that slide over neighbours.
struct Share {
  int64_t place;  // the first input element
  int64_t first, step, count;
  ImageAxis axis;

  Share(const WindowAxis& a, int64_t input) : place(input) {
    const int64_t common = std::gcd(a.dilation, a.stride), at = input + a.before;
    step = a.stride / common;
    first = 0;
    while (first < std::min(step, a.window) && (at - first * a.dilation) % a.stride != 0) ++first;
    count = first < std::min(step, a.window) ? (a.window - 1 - first) / step + 1 : 0;
    const int64_t last = first + (count - 1) * step;
    axis = {a.out,
            -((at - last * a.dilation) / a.stride),
            (a.in - 1 - input) / a.stride + 1,
            count,
            1,
            a.dilation / common};
  }
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
