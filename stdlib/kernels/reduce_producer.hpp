// Reduces elements that are computed on demand, a cacheful at a time, and never stored, as in a compiled sum(x * y).
// The order is that of reduce(): the bits are those of reducing a stored operand of the same shape.
#pragma once

#include "stdlib/kernels/reduce.hpp"

namespace covec::kernels {

// What computes an operand of `reduced` · `kept` ≥ 1 elements, of which either the last axes are reduced (kept rows of
// `reduced` elements) or the first ones (`reduced` rows of kept elements).
class Producer {
 public:
  virtual ~Producer() = default;
  // Writes elements [begin, end), row-major, to `to`. Called once for every element, on any thread.
  virtual void make(int64_t begin, int64_t end, std::byte* to) const = 0;

  Dtype dtype = Dtype::f64;
  int64_t reduced = 1, kept = 1;
  bool last_axis = true;
  int64_t weight = 1;  // an element's cost against that of loading it, for cutting the work
};

// `out`: `kept` results of reduced_dtype.
void reduce_producer(ops::Context& context, ReduceKind kind, const Producer& x, void* out);

}  // namespace covec::kernels
