#include "stdlib/sparse/incomplete.hpp"

#include <algorithm>

#include "stdlib/kernels/interrupt_polls.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/tensor/scratch.hpp"

namespace covec::sparse {

namespace {

// Where the element of a row on the diagonal stands, or would.
int64_t diagonal_of(const Pattern& pattern, int64_t row) {
  const int64_t *begin = pattern.indices + pattern.starts[row], *end = pattern.indices + pattern.starts[row + 1];
  return std::lower_bound(begin, end, row) - pattern.indices;
}

bool is_there(const Pattern& pattern, int64_t row, int64_t place) {
  return place < pattern.starts[row + 1] && pattern.indices[place] == row;
}

}  // namespace

bool has_diagonal(const Pattern& pattern) {
  for (int64_t row = 0; row < pattern.rows; ++row) {
    if (!is_there(pattern, row, diagonal_of(pattern, row))) return false;
  }
  return true;
}

int64_t factor_incomplete(ops::Context& context, const Pattern& pattern, double* values) {
  const Scratch room(*context.pool, static_cast<uint64_t>(std::max<int64_t>(1, pattern.columns)) * sizeof(int64_t));
  auto* place_of = room.as<int64_t>();  // of each column in the row that is worked at, −1: it has none
  std::fill_n(place_of, pattern.columns, int64_t{-1});
  kernels::InterruptPolls polls(context);
  for (int64_t row = 0; row < pattern.rows; ++row) {
    const int64_t begin = pattern.starts[row], end = pattern.starts[row + 1];
    int64_t operations = end - begin + 1;
    for (int64_t p = begin; p < end; ++p) place_of[pattern.indices[p]] = p;
    for (int64_t p = begin; p < end && pattern.indices[p] < row; ++p) {
      const int64_t above = pattern.indices[p], diagonal = diagonal_of(pattern, above);
      values[p] /= values[diagonal];
      for (int64_t q = diagonal + 1; q < pattern.starts[above + 1]; ++q) {
        const int64_t place = place_of[pattern.indices[q]];
        if (place >= 0) values[place] -= values[p] * values[q];
      }
      operations += pattern.starts[above + 1] - diagonal;
    }
    for (int64_t p = begin; p < end; ++p) place_of[pattern.indices[p]] = -1;
    const int64_t diagonal = diagonal_of(pattern, row);
    if (!is_there(pattern, row, diagonal) || values[diagonal] == 0) return row;
    if (polls.stop(operations)) break;
  }
  kernels::poll_interrupt(context);
  return -1;
}

void solve_incomplete(const Pattern& pattern, const double* values, double* x, bool transposed) {
  const int64_t n = pattern.rows;
  if (!transposed) {
    for (int64_t row = 0; row < n; ++row) {
      for (int64_t p = pattern.starts[row]; pattern.indices[p] < row; ++p) x[row] -= values[p] * x[pattern.indices[p]];
    }
    for (int64_t row = n - 1; row >= 0; --row) {
      const int64_t diagonal = diagonal_of(pattern, row);
      for (int64_t p = diagonal + 1; p < pattern.starts[row + 1]; ++p) x[row] -= values[p] * x[pattern.indices[p]];
      x[row] /= values[diagonal];
    }
    return;
  }
  for (int64_t row = 0; row < n; ++row) {
    const int64_t diagonal = diagonal_of(pattern, row);
    x[row] /= values[diagonal];
    for (int64_t p = diagonal + 1; p < pattern.starts[row + 1]; ++p) x[pattern.indices[p]] -= values[p] * x[row];
  }
  for (int64_t row = n - 1; row >= 0; --row) {
    for (int64_t p = pattern.starts[row]; pattern.indices[p] < row; ++p) x[pattern.indices[p]] -= values[p] * x[row];
  }
}

}  // namespace covec::sparse
