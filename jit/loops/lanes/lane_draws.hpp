// Draws in lane loops. In a lane a draw is computed: it is a function of the example's key and its call number
// (stdlib/ops/random/body.hpp). The lane has that number in a register, where the loop itself has the session's.
#pragma once

#include <vector>

#include "jit/loops/program.hpp"

namespace covec::loops {

// Whether each draw of an iteration knows its call number by the iteration alone, and has a key of its own.
bool draws_by_itself(const std::vector<Instruction>& iteration);

void compute_draws(LaneLoop& loop);

}  // namespace covec::loops
