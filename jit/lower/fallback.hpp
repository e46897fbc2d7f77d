// Statements that cannot be staged: an operation that hands their slots to the interpreter when the function runs
// (Kind::interpret), and gets back what they have assigned, boxed.
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
