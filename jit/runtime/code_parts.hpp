// Names for a profile: what compiled code does, and where that stands in the program.
#pragma once

#include "jit/loops/plan.hpp"
#include "stdlib/ops/contract/activity.hpp"

namespace covec::runtime {

ops::CodeParts parts_of(const loops::Plan& plan);

}  // namespace covec::runtime
