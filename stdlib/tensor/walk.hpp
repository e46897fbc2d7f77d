// Walks two arrays together, element by element, and merges axes that are adjacent on both sides. Copies and indices
// share it.
#pragma once

#include <array>
#include <cstdint>

#include "stdlib/value/dtype.hpp"

namespace covec {

struct PairAxis {
  int64_t count, first, second;  // strides in elements
};

struct PairAxes {
  std::array<PairAxis, max_rank> axes;
  unsigned count = 0;

  const PairAxis& last(unsigned back = 0) const { return axes[count - 1 - back]; }
  // An axis inside those that there are.
  void push(PairAxis axis) {
    if (axis.count == 1) return;
    if (count > 0) {
      PairAxis& outer = axes[count - 1];
      if (outer.first == axis.first * axis.count && outer.second == axis.second * axis.count) {
        outer = {outer.count * axis.count, axis.first, axis.second};
        return;
      }
    }
    axes[count++] = axis;
  }

  // Calls f(first, second) at each position of the first `loops` axes.
  template <class T, class U, class F>
  void each_position(unsigned loops, T* first, U* second, const F& f) const {
    std::array<int64_t, max_rank> index = {};
    for (;;) {
      f(first, second);
      unsigned at = loops;
      for (; at > 0; --at) {
        const PairAxis& axis = axes[at - 1];
        first += axis.first;
        second += axis.second;
        if (++index[at - 1] < axis.count) break;
        first -= axis.first * axis.count;
        second -= axis.second * axis.count;
        index[at - 1] = 0;
      }
      if (at == 0) return;
    }
  }
};

}  // namespace covec
