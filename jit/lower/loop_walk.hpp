// Walks one loop until its carried values have stable types (loop_variables.hpp). If an iteration changes a type, the
// first iteration is peeled off. After max_peeled of these the value is boxed. Start at run(), then attempt().
#pragma once

#include "jit/lower/adjoint.hpp"
#include "jit/lower/loop_variables.hpp"

namespace covec::ir {

// Walks what the run may not come to: a vmap whose examples turn out to differ there is told so.
void walk_conditionally(FunctionRef<void()> path);

class LoopWalk {
 public:
  // `peeled`: the depth of loops inside peeled iterations, which this one counts on.
  LoopWalk(ControlFlow& control_flow, AdjointRecorder& adjoints, ops::Builder& builder, GraphWriter& writer,
           Conversions& conversions, ConditionalValues& conditional_values, unsigned& peeled,
           const Staging::Variables& variables, LoopSource source);
  void run();

 private:
  using Outcome = LoopVariables::Outcome;
  struct Attempt;

  void start_over(GraphWriter::Position at);
  Outcome attempt();
  void walk_condition(Attempt& attempt);
  Outcome walk_body(Attempt& attempt, const Value& index);
  void finish(Attempt& attempt);
  Value trip_count_of(Attempt& attempt);
  void add_condition(Attempt& attempt);
  void peel();

  ControlFlow& control_flow_;
  AdjointRecorder& adjoints_;
  ops::Builder& builder_;
  GraphWriter& writer_;
  Conversions& conversions_;
  ConditionalValues& conditional_values_;
  unsigned& peeled_;
  const Staging::Variables& variables_;
  const LoopSource source_;
  LoopVariables carried_;
  bool first_walk_ = true;  // the variables are at its head what they are before it
};

}  // namespace covec::ir
