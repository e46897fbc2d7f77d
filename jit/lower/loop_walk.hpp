// Walks one loop until its carried values have stable types. The extents of a carried tensor may change (the loop's
// head then has extents of its own), and a number may turn out to be active. If an iteration changes a type, the first
// iteration is peeled off. After most_peeled of these the value is boxed. Start at run(), then attempt().
#pragma once

#include "jit/lower/adjoint.hpp"
#include "jit/lower/loop_carried.hpp"
#include "jit/lower/regions.hpp"

namespace covec::ir {

class LoopWalk {
 public:
  // `peeled`: the depth of loops inside peeled passes, which this one counts on.
  LoopWalk(Regions& regions, ops::Builder& builder, GraphWriter& writer, Conversions& conversions,
           ConditionalValues& conditional_values, unsigned& peeled, const Staging::Variables& variables,
           LoopSource source);
  void run();

 private:
  enum class Outcome : uint8_t { done, again, peel };
  struct Attempt;

  void start_over(GraphWriter::Position at);
  bool may_peel() const;
  bool fill_with_zeros();
  bool make_lists();
  bool make_optionals();
  Outcome attempt();
  void walk_condition(Attempt& attempt);
  Outcome walk_body(Attempt& attempt, const Value& index);
  void enter(LoopCarried& loop_carried);
  void enter_variable(LoopCarried& loop_carried, size_t i);
  Outcome leave(LoopCarried& loop_carried);
  Outcome leave_variable(LoopCarried& loop_carried, size_t i);
  Outcome leave_function(LoopCarried& loop_carried, size_t i, const Value& head, const Value& out);
  bool gets_tangents(const LoopCarried::Adjustments& before, const LoopCarried::Adjustments& now) const;
  Outcome leave_value(LoopCarried& loop_carried, size_t i, const Value& head, const Value& outgoing);
  bool may_be_zeros(size_t i, const Value& like);
  ConditionalValue with_zeros(size_t i, const ConditionalValue& left, const Value& like);
  Outcome wrong_type(size_t i);
  size_t lists() const;  // that have become one value
  void finish(Attempt& attempt);
  Value trips_of(Attempt& attempt);
  void set_variables(LoopCarried& loop_carried);
  void add_condition(Attempt& attempt);
  void peel();

  Regions& regions_;
  ops::Builder& builder_;
  GraphWriter& writer_;
  Conversions& conversions_;
  ConditionalValues& conditional_values_;
  unsigned& peeled_;
  const Staging::Variables& variables_;
  const LoopSource source_;
  std::vector<Value> entry_, heads_, outs_;  // what the variables hold before the loop, at its head, after an iteration
  std::vector<LoopCarried::Adjustments> adjustments_;
  std::vector<bool> boxed_;
  bool first_walk_ = true;        // the variables are at its head what they are before it
  std::vector<Value> likes_;      // of a variable unbound at entry: what an iteration leaves in it
  std::vector<bool> zeroed_;      // it is zeros where it is not there
  std::vector<Value> optionals_;  // of a variable that may be none, or another function: what it is like elsewhere
  std::vector<bool> unread_;      // it must not be read there, although before the loop it may
};

}  // namespace covec::ir
