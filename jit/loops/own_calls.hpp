// Tells the code how to make the calls of its own function without a step. See own_calls.cpp.
#pragma once

#include "jit/loops/plan.hpp"

namespace covec::loops {

// `function`: which of Code::functions it is.
void find_own_calls(Plan& plan, uint32_t function);

}  // namespace covec::loops
