// Greedy colouring at distance 2, in several orders, after few colours have been guessed from a regular graph.
#pragma once

#include "stdlib/sparse/color.hpp"
#include "stdlib/sparse/color_order.hpp"

namespace covec::sparse {

// A matrix and its transpose.
struct Sides {
  const Graph& by_row;
  const Graph& by_column;
};

// Colours of columns such that those of one row differ: the fewest that are found by a lattice and by the orders
// natural, largest first and smallest last.
Colors color_columns(Steps& steps, Sides sides);

// The colours of those columns that have entries, numbered without gaps.
Colors used(const Colors& colors, const Graph& by_column);

// Visits of one entry from another that a colouring makes, in one order: about a second. Rows (vertices) that would
// need more are dense; each of their columns (they) get a colour of its own.
inline constexpr int64_t max_visits = int64_t{1} << 29;

// The longest row for which, and for all shorter ones, there is time.
uint32_t longest_sparse_row(const Graph& graph);

}  // namespace covec::sparse
