// The slots that steps use: needed where a loop has to know what becomes of a tensor whose elements it reads or sets.
#pragma once

#include <set>

#include "jit/loops/plan.hpp"

namespace covec::loops {

struct StepSlots {
  std::set<SlotId> changed;    // they get another value, or their value is moved out
  std::set<SlotId> mentioned;  // read or changed
};

void note_step(const Plan& plan, const Step& step, StepSlots& slots);

}  // namespace covec::loops
