// Handles statements that cannot be staged. An operation hands their slots to the interpreter at run time
// (Kind::interpret), and gets back the assigned values, boxed.
#pragma once

#include "jit/lower/graph/conditional_value.hpp"
#include "jit/lower/graph/graph_writer.hpp"
#include "jit/lower/paths/control_flow.hpp"

namespace covec::ir {

class Fallback {
 public:
  Fallback(GraphWriter& writer, ControlFlow& control_flow, ConditionalValues& conditional_values)
      : writer_(writer), control_flow_(control_flow), conditional_values_(conditional_values) {}
  // As Staging::interpret.
  Value interpret(const Staging::Unstaged& unstaged, Value* slots, Value& result);

 private:
  void hand_over(Operation& operation, uint32_t slot, const Value& variable);
  void leave_in(Value& variable, bool may_stay, Operation& operation);

  GraphWriter& writer_;
  ControlFlow& control_flow_;
  ConditionalValues& conditional_values_;
};

}  // namespace covec::ir
