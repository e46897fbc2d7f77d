// Reductions as nests: groups of adjacent axes, the last group first, each in the language's order.
#pragma once

#include "jit/loops/loop_ir.hpp"

namespace covec::loops {

// Axis a of a buffer of rank `rank` is indexed by the loop that indexes axis a + result_rank − rank of the result.
Access access_aligned(uint32_t buffer, unsigned rank, unsigned result_rank);

// Appends the nests of operation `o` to the program. Throws ir::NotLowered for kinds that have no loops.
void reduce(Program& program, uint32_t o, const ir::Operation& operation);

}  // namespace covec::loops
