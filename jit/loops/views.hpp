// Looks up tensors once before a loop that reads and sets their elements one by one. See views.cpp.
#pragma once

#include "jit/loops/plan.hpp"

namespace covec::loops {

// In the function and its routine: adds Code::views and the instructions that look them up, and has elements in loops
// use them.
void find_views(Plan& plan);

}  // namespace covec::loops
