// Walks along one axis of a tensor in order: the loops of running sums, products and extremes. Private to the family.
#pragma once

#include <algorithm>

#include "stdlib/kernels/interrupt_polls.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::ops {

inline constexpr int64_t walk_grain = 1 << 15;      // elements
inline constexpr int64_t max_walked_columns = 512;  // columns of a strip that is walked at once

// A row-major tensor seen from one axis: `outer` blocks of `length` rows of `inner` elements.
struct Walked {
  int64_t outer = 1, length = 1, inner = 1;

  Walked(const Tensor& x, unsigned axis) : length(x.dim(axis)) {
    for (unsigned i = 0; i < axis; ++i) outer *= x.dim(i);
    for (unsigned i = axis + 1; i < x.rank(); ++i) inner *= x.dim(i);
  }
};

// Calls first(at) for the first element along the axis, at its offset, then next(at, before) for each of the others.
// Columns are walked side by side, so that the loop over them is one of vectors.
template <class First, class Next>
void walk_columns(const Walked& x, bool backwards, int64_t start, int64_t columns, const First& first, const Next& next,
                  kernels::InterruptPolls& polls) {
  const int64_t step = backwards ? -x.inner : x.inner;
  int64_t row = start + (backwards ? (x.length - 1) * x.inner : 0);
  for (int64_t c = 0; c < columns; ++c) first(row + c);
  for (int64_t i = 1; i < x.length; ++i) {
    if (polls.stop(columns)) return;
    row += step;
    for (int64_t c = 0; c < columns; ++c) next(row + c, row + c - step);
  }
}

template <class First, class Next>
void scan_axis(Builder& builder, const Walked& x, bool backwards, const First& first, const Next& next) {
  if (x.length == 0 || x.inner == 0) return;
  const int64_t strips = (x.inner + max_walked_columns - 1) / max_walked_columns;
  const int64_t columns = std::min(x.inner, max_walked_columns);
  const int64_t strip_grain = std::max<int64_t>(1, walk_grain / (x.length * columns));
  kernels::parallel_for(builder.context(), x.outer * strips, strip_grain, [&](int64_t begin, int64_t end) {
    kernels::InterruptPolls polls(builder.context());
    for (int64_t strip = begin; strip < end; ++strip) {
      const int64_t column = strip % strips * max_walked_columns;
      const int64_t start = strip / strips * x.length * x.inner + column;
      walk_columns(x, backwards, start, std::min(max_walked_columns, x.inner - column), first, next, polls);
    }
  });
}

// Along an axis whose elements lie together the value before stays in a register.
template <class T, class Combine>
void accumulate(Builder& builder, const Walked& walked, bool backwards, const T* x, T* to, const Combine& combine) {
  if (walked.inner != 1 || backwards) {
    return scan_axis(
        builder, walked, backwards, [&](int64_t at) { to[at] = x[at]; },
        [&](int64_t at, int64_t before) { to[at] = combine(to[before], x[at]); });
  }
  if (walked.length == 0) return;
  const int64_t row_grain = std::max<int64_t>(1, walk_grain / walked.length);
  kernels::parallel_for(builder.context(), walked.outer, row_grain, [&](int64_t begin, int64_t end) {
    kernels::InterruptPolls polls(builder.context());
    for (int64_t row = begin; row < end; ++row) {
      const T* from = x + row * walked.length + 1;
      T* out = to + row * walked.length;
      T running = *out++ = from[-1];
      polls.in_chunks(walked.length - 1, 1, [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i) out[i] = running = combine(running, from[i]);
      });
    }
  });
}

}  // namespace covec::ops
