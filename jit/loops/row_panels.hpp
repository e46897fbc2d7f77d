// Rows of several steps at once (Panels): of softmax(x, axis=1) the maximum, the exponential, its sum and the quotient
// are steps of their own, and each would go through the memory. See row_panels.cpp.
#pragma once

#include "jit/loops/plan.hpp"

namespace covec::loops {

// Where launches and reductions follow each other whose first axis is one, and one needs what another has read or made,
// the code takes one step instead, which may do them row by row. After whatever else changes steps.
void row_panels(Plan& plan);

}  // namespace covec::loops
