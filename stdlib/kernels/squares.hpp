// Operands that a result is read crosswise from (x + y.T): along the result's rows each of their elements lies in
// another cache line. The result is made square by square, some rows by some columns, and the operand's lines are read
// whole and turned in registers. Start at each_square().
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "stdlib/kernels/strided.hpp"
#include "stdlib/value/context.hpp"

namespace covec::kernels {

// to[r · to_stride + c] = from[c · column_stride + r]; to_stride is a multiple of 16, and what lies between the columns
// and the stride may be written.
void turn(ops::Isa isa, const std::byte* from, int64_t rows, int64_t columns, int64_t column_stride, size_t size,
          std::byte* to, int64_t to_stride);

struct Square {
  int64_t at;  // its first element, as numbered in the result
  int64_t rows, columns;
  int64_t stride() const { return (columns + 15) / 16 * 16; }  // of it when turned
};

inline constexpr size_t square_bytes = 8192;  // of one when turned: they lie on the stack
inline constexpr int64_t square_columns = 128;
constexpr int64_t square_rows(size_t size) {  // a cache line
  return static_cast<int64_t>(square_bytes / size / static_cast<size_t>(square_columns));
}

// Whether an operand with such strides along the (merged) axes of the result is read crosswise.
inline bool is_crosswise(const int64_t* dims, const int64_t* strides, unsigned axes) {
  constexpr int64_t least = 8;
  return axes >= 2 && strides[axes - 1] != 0 && strides[axes - 1] != 1 && strides[axes - 2] == 1 &&
         dims[axes - 2] >= least && dims[axes - 1] >= least;
}

// Calls body(square) for the squares that make up elements [begin, end) of a result, whole rows: `row` elements are
// one, `above` rows are along one axis. False where body ever said so.
template <class F>
bool each_square(int64_t row, int64_t above, size_t size, int64_t begin, int64_t end, F&& body) {
  const int64_t most = square_rows(size);
  for (int64_t r = begin / row, last = end / row; r < last;) {
    const int64_t rows = std::min({most, above - r % above, last - r});
    for (int64_t c = 0; c < row; c += square_columns) {
      if (!body(Square{r * row + c, rows, std::min(square_columns, row - c)})) return false;
    }
    r += rows;
  }
  return true;
}

// parallel_for whose pieces are whole rows, and several, where rows are longer than 1.
template <class F>
void parallel_rows(ops::Context& context, int64_t n, int64_t row, int64_t grain, F&& body) {
  constexpr int64_t least = 8;
  if (row == 1) return parallel_for(context, n, grain, body);
  parallel_units(context, n / row, std::max(least, grain / row),
                 [&](int64_t begin, int64_t end) { body(begin * row, end * row); });
}

}  // namespace covec::kernels
