// Removes moves of numbers. See coalesce.cpp.
#pragma once

#include "jit/loops/plan.hpp"

namespace covec::loops {

// A number that is made only to be moved is made where it goes.
void coalesce(Code& code);
// In the function, and in the routine that it calls.
void coalesce(Plan& plan);

}  // namespace covec::loops
