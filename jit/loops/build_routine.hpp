// Builds a recursive function of numbers (Routine): what its code needs beside that of other functions. Start at
// call_routine().
#pragma once

#include "jit/loops/build_code.hpp"
#include "jit/loops/plan.hpp"

namespace covec::loops {

// The plan has the routine's code, built as that of a function whose parameters are in registers. Its steps raise
// errors and do what hardly ever happens. The function itself becomes a call of the routine with the numbers from its
// slots.
void call_routine(Plan& plan);

}  // namespace covec::loops
