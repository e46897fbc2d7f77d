// Sorts rows of numbers, stably. NaNs are the largest and equal to each other; −0 and +0 are equal. The order does not
// depend on threads or the instruction set.
#pragma once

#include <cstdint>

#include "stdlib/value/context.hpp"
#include "stdlib/value/dtype.hpp"

namespace covec::kernels {

// `rows` rows of `length` numbers of x, next to each other.
struct SortedRows {
  const void* x;
  Dtype dtype;
  int64_t rows, length;
  bool descending;
};

// The numbers in order, as x has them.
void sort_rows(ops::Context& context, const SortedRows& x, void* to);
// Their positions in order: the first `count` of each row.
void sort_positions(ops::Context& context, const SortedRows& x, int64_t count, int64_t* to);

}  // namespace covec::kernels
