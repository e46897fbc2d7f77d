// Reduces strided operands in the language's order (see language reference, 'Float reductions have one order'). The
// bits depend only on the shape and the reduced axes, never on strides, threads or the instruction set. Adjacent axes
// are reduced as one group. Separate groups are reduced one by one, the last one first.
#pragma once

#include "stdlib/kernels/reduce_table.hpp"
#include "stdlib/kernels/strided.hpp"

namespace covec::kernels {

Dtype reduced_dtype(ReduceKind kind, Dtype dtype);
const ReduceKernel& reduce_kernel_for(ops::Isa isa, ReduceKind kind, Dtype dtype);

// Reduces the axes in the set `axes` (bit i: axis i). `out` is row-major over the other axes, of reduced_dtype. max and
// min need elements; others give their empty value (+0, 1, false, true).
void reduce(ops::Context& context, ReduceKind kind, const StridedInput& x, uint32_t axes, void* out);

// Positions of the first largest (smallest) elements along the axes in `axes`, which are next to each other (one axis,
// or all, counted row-major). They must have elements.
void arg_reduce(ops::Context& context, bool smallest, const StridedInput& x, uint32_t axes, int64_t* out);

}  // namespace covec::kernels
