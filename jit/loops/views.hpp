// Tensors whose elements loops read and set one by one are looked at once before the loop. See views.cpp.
#pragma once

#include "jit/loops/plan.hpp"

namespace covec::loops {

// Adds Code::views and the instructions that look them up, and has elements in loops use them.
void find_views(Plan& plan);

}  // namespace covec::loops
