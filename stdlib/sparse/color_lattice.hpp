// Colours of bands and grids by a formula. Column k = x + N₁·y + N₂·z gets the colour x + s₁·y + s₂·z mod p, that is
// k + t₁·⌊k/N₁⌋ + t₂·⌊k/N₂⌋ mod p. The strides N are read off a row in the middle, all shifts t are tried for a p from
// the longest row on, and a candidate must be valid in every row. So a 5-point grid has 5 colours, where a greedy
// colouring finds 7.
#pragma once

#include <optional>

#include "stdlib/sparse/color_greedy.hpp"

namespace covec::sparse {

// Nothing where the pattern is no lattice of few colours.
std::optional<Colors> color_lattice(Steps& steps, const Graph& by_row);

}  // namespace covec::sparse
