// Moves of numbers, saved. See coalesce.cpp.
#pragma once

#include "jit/loops/program.hpp"

namespace covec::loops {

// A number that is made only to be moved is made where it goes.
void coalesce(Code& code);

}  // namespace covec::loops
