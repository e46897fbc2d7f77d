// What the variables of a loop hold before it, at its head and after an iteration, and what walks have shown of them:
// the extents of a carried tensor may change (then the head's are the tensor's own), a variable may be none or unbound,
// be zeros, a list or boxed. Each walk adjusts the head until an iteration ends with the types that it began with.
// Start at enter() and leave().
#pragma once

#include <functional>

#include "jit/lower/paths/control_flow.hpp"
#include "jit/lower/paths/loop_carried.hpp"

namespace covec::ir {

// A loop as the walk meets it.
struct LoopSource {
  Value count;                                    // for_
  std::function<Value()> condition;               // while_: not empty
  std::function<Value(const Value& index)> body;  // gives whether to go on; none: yes
  uint32_t adjoint_of = 0, sweep = 0;             // of an adjoint: a cotangent is of another type than none
  uint64_t memory = 0;                            // these as in ControlFlow::Back
  bool whole = false;
  std::function<Value(size_t i, const Value& like)> zeros = nullptr;
};

// What an iteration of a reverse loop that is peeled off takes from the forward loop, another derivative would not find
// there.
bool may_peel(const LoopSource& source, const ops::Context& context);

class LoopVariables {
 public:
  // What is to be done after an iteration: no more; another walk; the first iteration by itself.
  enum class Outcome : uint8_t { done, again, peel };

  // `peeled`: how many peeled iterations the walk is in.
  LoopVariables(ControlFlow& control_flow, GraphWriter& writer, Conversions& conversions,
                ConditionalValues& conditional_values, const unsigned& peeled, const Staging::Variables& variables,
                const LoopSource& source);
  void put_back() const;  // what they hold before the loop
  // Appends before the loop what a walk has shown to be needed there. True when there was any.
  bool prepare();
  void enter(LoopCarried& loop_carried);
  void put_back_heads() const;
  Outcome leave(LoopCarried& loop_carried);
  void leave_loop(LoopCarried& loop_carried);

 private:
  bool complete_tangents();
  Value with_zero_tangents(const Value& value, bool& changes);
  Value with_zero_tangents(const Traced& value, bool& changes);
  bool fill_with_zeros();
  bool make_lists();
  bool make_optionals();
  void enter_variable(LoopCarried& loop_carried, size_t i);
  Outcome leave_variable(LoopCarried& loop_carried, size_t i);
  Outcome leave_function(LoopCarried& loop_carried, size_t i, const Value& head, const Value& out);
  Outcome leave_value(LoopCarried& loop_carried, size_t i, const Value& head, const Value& outgoing);
  bool gets_tangents(const LoopCarried::Adjustments& before, const LoopCarried::Adjustments& now) const;
  bool may_be_zeros(size_t i, const Value& like);
  ConditionalValue with_zeros(size_t i, const ConditionalValue& left, const Value& like);
  Outcome wrong_type(size_t i);
  size_t lists() const;  // that have become one value

  ControlFlow& control_flow_;
  GraphWriter& writer_;
  Conversions& conversions_;
  ConditionalValues& conditional_values_;
  const unsigned& peeled_;
  const Staging::Variables& variables_;
  const LoopSource& source_;
  std::vector<Value> entry_, heads_, outs_;  // what they hold before the loop, at its head, after an iteration
  std::vector<LoopCarried::Adjustments> adjustments_;
  std::vector<bool> boxed_;
  std::vector<Value> likes_;      // of one that is unbound at entry: what an iteration leaves in it
  std::vector<bool> zeroed_;      // it is zeros where it is not there
  std::vector<Value> optionals_;  // of one that may be none, or another function: what it is like elsewhere
  std::vector<bool> unread_;      // it must not be read there, although before the loop it may
  bool complete_ = false;         // tangents are, once and for all walks
};

}  // namespace covec::ir
