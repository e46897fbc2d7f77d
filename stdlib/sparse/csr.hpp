// Sparse matrices by compressed rows (CSR) as kernels see them: row i has the numbers values[p] in the columns
// indices[p] for starts[i] ≤ p < starts[i + 1]. Columns rise in a row. Programs make these arrays, so nothing about
// them is certain: a kernel checks a row while it walks it, and says which row is wrong. find_fault() then says why.
// Start at Pattern.
#pragma once

#include <cstdint>
#include <optional>

#include "stdlib/value/context.hpp"

namespace covec::sparse {

struct Pattern {
  const int64_t* indices;
  const int64_t* starts;  // rows + 1 of them
  int64_t count;          // of the indices
  int64_t rows, columns;

  // Whether the numbers of a row lie inside the arrays.
  bool has_row(int64_t row) const {
    return starts[row] >= 0 && starts[row] <= starts[row + 1] && starts[row + 1] <= count;
  }
  // Whether the rows share all indices among them; has_row() looks at one.
  bool covers() const { return rows < 0 || (starts[0] == 0 && starts[rows] == count); }
  // Whether the index at place p may follow another of its row, −1 at its beginning.
  bool has_index(int64_t p, int64_t previous) const { return indices[p] > previous && indices[p] < columns; }
};

struct Fault {
  enum class Kind : uint8_t { starts, range, order, twice } kind;
  int64_t row, place, column;
};

// The first thing that is wrong.
std::optional<Fault> find_fault(const Pattern& pattern);
// The same, looked for by the session's threads.
bool is_sound(ops::Context& context, const Pattern& pattern);

// Rows in a piece for a thread: enough for about this many nonzeros.
int64_t rows_of_piece(const Pattern& pattern, int64_t width);

// Single elements, in any order: element k stands in row rows[k] and column columns[k], inside of height × width.
struct Elements {
  const int64_t* rows;
  const int64_t* columns;
  int64_t count, height, width;
};
// The first that lies outside, −1: none.
int64_t find_outside(const Elements& elements);
// Their order by rows, and by columns in a row; those at one place keep theirs.
void order_elements(ops::Context& context, const Elements& elements, int64_t* order);

}  // namespace covec::sparse
