// Handles a loop's carried values. At the loop's head, parameters stand for the incoming values; the end of an
// iteration must give the same types.
#pragma once

#include <map>
#include <set>

#include "jit/lower/conversions.hpp"
#include "jit/lower/graph/region_tape.hpp"

namespace covec::ir {

class LoopCarried {
 public:
  // Adjustments that a walk has shown to be needed.
  struct Adjustments {
    // Leaf number, and an axis whose extent changes.
    std::set<std::pair<uint64_t, unsigned>> leaves;
    // Leaf number, and the level of a transformation that an iteration leaves it in, where the head has it not, or not
    // surely.
    std::set<std::pair<uint64_t, uint64_t>> levels;
    uint64_t added_below(uint64_t number, uint64_t above) const;  // the highest of a leaf; 0: none
    bool own_extents = false;                                     // those of all leaves that only the run knows
    // Number of a list whose length changes, and what its items are.
    std::map<unsigned, ItemType> lists;
  };
  enum class Fit : uint8_t { same, again, type };

  LoopCarried(GraphWriter& writer, Conversions& conversions, ConditionalValues& conditional_values, RegionTapes& tapes,
              Operation& operation, Region& body)
      : writer_(writer),
        conversions_(conversions),
        conditional_values_(conditional_values),
        tapes_(tapes),
        operation_(operation),
        body_(body) {}
  // Leaves and lists are numbered within a variable.
  void begin_variable();
  Value enter(const Value& incoming, const Adjustments& known);
  Fit leave(const Value& head, const Value& outgoing, Adjustments& needed);
  // What stands after the loop for a value at its head.
  Value after(const Value& head);

 private:
  Value enter_value(const Value& incoming, const Adjustments& known, uint64_t above);
  Value enter_added(const Value& incoming, const Adjustments& known, uint64_t level);
  Value enter_traced(const Traced& incoming, const Adjustments& known);
  std::optional<Type> steady_type(const Value& incoming, const Adjustments& known) const;
  Value enter_conditional(uint64_t level, const Value& incoming, Value head, const Value& tangent,
                          const Adjustments& known);
  Value enter_list(uint64_t level, const Value& incoming, const Adjustments& known);
  Value enter_leaf(const Value& incoming, const Adjustments& known);
  Id parameter_for(const Value& incoming, uint64_t number, const Adjustments& known);
  Fit leave_leaf(const Value& head, const Value& outgoing, Adjustments& needed);
  Fit leave_list(const Value& head, const Value& outgoing, unsigned number, Adjustments& needed);
  Fit leave_traced(const Value& head, const Value& outgoing, Adjustments& needed);
  Fit leave_tangents(const Traced& head, const Value& primal, const Value& tangent, Adjustments& needed);
  Fit leave_conditional(const ConditionalValue& head, const Value& primal, const Value& tangent, Adjustments& needed);
  Fit leave_unbatched(const Traced& head, const Value& outgoing, Adjustments& needed);
  Fit leave_all(const std::vector<Value>& head, const std::vector<Value>& outgoing, Adjustments& needed);
  Value after_traced(const Traced& head);
  Id result_for(Id parameter);

  GraphWriter& writer_;
  Conversions& conversions_;
  ConditionalValues& conditional_values_;
  RegionTapes& tapes_;
  Operation& operation_;
  Region& body_;
  // Tangents are numbered apart, since a walk may show that there are more of them.
  class TangentLeaves {
   public:
    explicit TangentLeaves(uint64_t& count) : count_(count), before_(count) { count = before_ * max_leaves + tangents; }
    TangentLeaves(const TangentLeaves&) = delete;
    TangentLeaves& operator=(const TangentLeaves&) = delete;
    ~TangentLeaves() { count_ = before_; }

   private:
    static constexpr uint64_t tangents = uint64_t{1} << 40, max_leaves = 8;  // that a tangent has
    uint64_t& count_;
    const uint64_t before_;
  };

  uint64_t entered_ = 0, left_ = 0;
  unsigned lists_entered_ = 0, lists_left_ = 0;
  bool renumbered_ = false;   // the next walk has other leaves
  std::map<Id, Id> results_;  // by parameter
};

}  // namespace covec::ir
