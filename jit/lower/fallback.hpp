// Handles statements that cannot be staged. An operation hands their slots to the interpreter at run time
// (Kind::interpret), and gets back the assigned values, boxed.
#pragma once

#include "jit/lower/regions.hpp"

namespace covec::ir {

class Fallback {
 public:
  Fallback(GraphWriter& writer, Regions& regions, Maybes& maybes)
      : writer_(writer), regions_(regions), maybes_(maybes) {}
  // As Staging::interpret.
  Value interpret(const Staging::Unstaged& unstaged, Value* slots, Value& result);

 private:
  void hand_over(Operation& operation, uint32_t slot, const Value& variable);
  void leave_in(Value& variable, bool may_stay, Operation& operation);

  GraphWriter& writer_;
  Regions& regions_;
  Maybes& maybes_;
};

}  // namespace covec::ir
