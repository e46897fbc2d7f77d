// Colours for compressed derivatives. Columns of one colour share one product J @ v (v: 1 in these columns), and each
// entry of J is read from one place of the products. Rows of one colour share one v @ J. Columns may share a colour if
// no row has entries in two of them, which is a colouring at distance 2 of the graph of rows and columns. A symmetric
// matrix needs less: a star colouring, where an entry is read at its own place or at its mirror's.
//
// All of it is serial and deterministic. The colours are few, not the fewest: that is NP-hard. Start at color.
#pragma once

#include <cstdint>
#include <vector>

#include "stdlib/sparse/color_graph.hpp"
#include "stdlib/value/context.hpp"

namespace covec::sparse {

struct Colors {
  std::vector<int32_t> of;  // the colour of each column (row), from 0; −1: it needs none
  int32_t count = 0;
};

enum class ColorKind : uint8_t {
  automatic,  // the cheapest of the next three
  forward,    // entries are read from the columns' products
  reverse,    // from the rows'
  both,       // some from either: dense rows do not make columns differ
  symmetric,  // from the columns', where an entry may be read at its mirror's place
};

struct Coloring {
  ColorKind kind = ColorKind::forward;  // not automatic
  Colors columns, rows;                 // of no length where there are none
  // For each entry its place in the products J @ v, one row of `rows` numbers a colour, followed by the products v @ J,
  // one row of `columns` numbers a colour.
  std::vector<int64_t> places;
};

// A v @ J costs so many times a J @ v (a sweep against a push): an estimate.
inline constexpr double reverse_cost = 2.5;

// `kind`: automatic, forward, reverse or symmetric.
Coloring color(const ops::Context& context, const Graph& graph, ColorKind kind);

}  // namespace covec::sparse
