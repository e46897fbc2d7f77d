// Star colourings of a symmetric pattern: adjacent vertices differ, and every path of four vertices has three colours.
// Algorithm 4.1 of Gebremedhin, Tarafdar, Manne and Pothen, "New acyclic and star coloring algorithms with application
// to computing Hessians", SIAM J. Sci. Comput. 29 (2007).
#pragma once

#include "stdlib/sparse/color_greedy.hpp"

namespace covec::sparse {

// The fewest colours that are found by the orders natural, largest first and smallest last. Entries of the diagonal are
// no edges. Vertices of so many edges that there is no time for them get colours that no other has.
Colors color_stars(Steps& steps, const Graph& symmetric);

}  // namespace covec::sparse
