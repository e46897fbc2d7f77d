// Names for a profile: what compiled code does, and where that stands in the program.
#pragma once

#include "jit/loops/plan.hpp"
#include "stdlib/ops/contract/activity.hpp"

namespace covec::runtime {

ops::CodeParts parts_of(const loops::Plan& plan);
// Whether what it does is a part of its own.
bool is_told(const loops::Step& step);

}  // namespace covec::runtime
