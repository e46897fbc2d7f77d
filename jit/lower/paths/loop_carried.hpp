// Handles a loop's carried values. At the loop's head, parameters stand for the incoming values; the end of an
// iteration must give the same types.
#pragma once

#include <map>
#include <set>

#include "jit/lower/graph/region_tape.hpp"
#include "jit/lower/paths/conversions.hpp"

namespace covec::ir {

class LoopCarried {
 public:
  // A leaf's number in its variable, or of a tangent in that: behind the leaf and level that it is the tangent of.
  struct Leaf {
    std::vector<uint64_t> tangent_of;
    uint64_t number = 0;
    auto operator<=>(const Leaf&) const = default;
  };
  // Adjustments that a walk has shown to be needed.
  struct Adjustments {
    // A leaf, and an axis whose extent changes.
    std::set<std::pair<Leaf, unsigned>> leaves;
    // A leaf, and the level of a transformation that an iteration leaves it in, where the head has it not, or not
    // surely.
    std::set<std::pair<Leaf, uint64_t>> levels;
    uint64_t added_below(const Leaf& leaf, uint64_t above) const;  // the highest of a leaf; 0: none
    // A leaf, and the level of its tangent, which may be anything where it is not there.
    std::set<std::pair<Leaf, uint64_t>> any_absent;
    bool own_extents = false;  // those of all leaves that only the run knows
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
  Value enter_conditional(uint64_t level, const Value& incoming, const Value& tangent, const Adjustments& known);
  Value enter_list(uint64_t level, const Value& incoming, const Adjustments& known);
  Value enter_leaf(const Value& incoming, const Adjustments& known);
  Id parameter_for(const Value& incoming, const Leaf& leaf, const Adjustments& known);
  Fit leave_leaf(const Value& head, const Value& outgoing, Adjustments& needed);
  Fit leave_list(const Value& head, const Value& outgoing, unsigned number, Adjustments& needed);
  Fit leave_traced(const Value& head, const Value& outgoing, Adjustments& needed);
  Fit leave_tangents(const Traced& head, const Value& primal, const Value& tangent, Adjustments& needed);
  Fit leave_unbatched(const Traced& head, const Value& outgoing, Adjustments& needed);
  Fit leave_all(const std::vector<Value>& head, const std::vector<Value>& outgoing, Adjustments& needed);
  bool is_absent(const Value& head) const;
  std::optional<Id> parameter_of(Dim dim) const;
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
    TangentLeaves(Leaf& at, uint64_t level) : at_(at), before_(at.number) {
      at_.tangent_of.insert(at_.tangent_of.end(), {before_, level});
      at_.number = 0;
    }
    TangentLeaves(const TangentLeaves&) = delete;
    TangentLeaves& operator=(const TangentLeaves&) = delete;
    ~TangentLeaves() {
      at_.tangent_of.resize(at_.tangent_of.size() - 2);
      at_.number = before_;
    }

   private:
    Leaf& at_;
    const uint64_t before_;
  };

  Leaf entered_, left_;  // the next one
  std::set<Id> absent_;  // parameters of tangents that are not there before the loop: zeros that nobody reads
  unsigned lists_entered_ = 0, lists_left_ = 0;
  bool renumbered_ = false;   // the next walk has other leaves
  std::map<Id, Id> results_;  // by parameter
};

}  // namespace covec::ir
