// Finds units that can share row tiles. In softmax(x, axis=1) the maximum, the exponential, its sum and the quotient
// are separate units. Each of them alone would go through memory. See row_tiles.cpp.
#pragma once

#include "jit/loops/fuse/fuse.hpp"

namespace covec::loops {

// Where kernels and reductions follow each other whose first axis is one, and one needs what another has read or made,
// they form a row tile: what stands between them and needs none of them goes before, and the tile is run as one step,
// which may do them row by row.
void find_row_tiles(const ir::Graph& graph, Block& block);

// Of units that say which row tile they belong to: what each has to do with rows. False: one of them has none.
bool describe_row_tiles(const ir::Graph& graph, Block& block);

}  // namespace covec::loops
