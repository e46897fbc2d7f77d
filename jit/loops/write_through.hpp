// Kernels whose result is put into a part of a tensor, v[1:-1] = …, may make it there. See write_through.cpp.
#pragma once

#include "jit/loops/plan.hpp"

namespace covec::loops {

// Sets Launch::into, and Step::unless_done of the step that it names.
void write_through(Plan& plan);

}  // namespace covec::loops
