// The slots that steps use: needed where a loop has to know what becomes of a tensor whose elements it reads or sets.
#pragma once

#include <set>

#include "jit/loops/plan.hpp"

namespace covec::loops {

struct StepSlots {
  std::set<SlotId> read;
  std::set<SlotId> made;     // they get another value, or lose the one that they have
  std::set<SlotId> changed;  // those, and slots whose value is moved out
  bool mention(SlotId slot) const { return read.contains(slot) || made.contains(slot); }
};

void note_step(const Plan& plan, const Step& step, StepSlots& slots);
void note_operand(const Operand& operand, StepSlots& slots);
// Slots that may hold more than a number when a call ends: the code says of the others that they hold numbers.
std::vector<SlotId> slots_of_objects(const Plan& plan);

}  // namespace covec::loops
