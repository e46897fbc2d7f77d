// Reductions of elements that are computed on demand, a cacheful at a time, and never stored: what a compiled sum(x *
// y) is. The order is the one of reduce(): the bits are those of reducing a stored operand of the same shape.
#pragma once

#include "stdlib/kernels/reduce.hpp"

namespace covec::kernels {

// An operand of `reduced` · `kept` ≥ 1 elements, of which either the last axes are reduced (kept rows of `reduced`
// elements) or the first ones (`reduced` rows of kept elements).
struct Production {
  Dtype dtype;
  int64_t reduced, kept;
  bool last_axis;
  int64_t weight = 1;  // an element's cost against that of loading it, for cutting the work
  // Writes elements [begin, end), row-major, to `to`. Called once for every element, on any thread.
  void (*make)(void* state, int64_t begin, int64_t end, std::byte* to);
  void* state;
};

// `out`: `kept` results of reduced_dtype.
void reduce_produced(ops::Context& context, ReduceKind kind, const Production& x, void* out);

}  // namespace covec::kernels
