// Makes a routine of a function that calls itself, where numbers are all that changes from call to call: tensors and
// lists it only reads, and all calls read the same. See routine_of_function.cpp.
#pragma once

#include "jit/loops/plan.hpp"

namespace covec::loops {

// `function`: which of Code::functions it is. Adds Program::routine, and has the function's code begin with it.
void make_routine_of_function(Plan& plan, uint32_t function);

}  // namespace covec::loops
