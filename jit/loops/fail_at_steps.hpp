// What only steps need goes from code that takes none, and so does what stands behind one in its block: it fails there.
#pragma once

#include "jit/loops/program.hpp"

namespace covec::loops {

void fail_at_steps(std::vector<Instruction>& code);

}  // namespace covec::loops
