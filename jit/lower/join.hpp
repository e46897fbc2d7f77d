// What a variable holds where two paths meet, or at the head of a loop: leaf by leaf.
#pragma once

#include <set>

#include "jit/lower/open_region.hpp"
#include "jit/lower/region_tape.hpp"

namespace covec::ir {

// Two paths into one: adds to both regions' results and to the operation's. The regions are `first` and `second` of the
// operation; conversions that a path needs are appended at its end.
class Joiner {
 public:
  // `peeled`: as Stager::AdjointOf has it.
  Joiner(Stager& stager, Operation& operation, Region& first, Region& second, RegionTape& tape, bool peeled)
      : stager_(stager), operation_(operation), first_(first), second_(second), tape_(tape), peeled_(peeled) {}
  Value join(const Value& a, const Value& b);
  // Of a variable that may be unbound on either path; gives what it holds, or unbound with `maybe` set.
  Value join(const Value& a, const std::pair<bool, Maybe>& maybe_a, const Value& b,
             const std::pair<bool, Maybe>& maybe_b, Maybe& maybe, bool& has_maybe);

 private:
  Value join_leaves(const Value& a, const Value& b);
  Value join_traced(const Value& a, const Value& b);
  Value join_boxed(const Value& a, const Value& b);
  bool join_lists(const Value& a, const Value& b, Value& result);
  Value join_jvp(uint64_t level, const Value& x, const Value& y, const Value& tangent_x, const Value& tangent_y);
  Value result(Value a, Value b, const Type& type, bool boxed);
  Stager& stager_;
  Operation& operation_;
  Region& first_;
  Region& second_;
  RegionTape& tape_;
  const bool peeled_;
};

// A loop's carried values: at its head, parameters stand for what comes in; the end of a pass must give the same types.
class Carrier {
 public:
  // Adjustments that a walk has shown to be needed.
  static constexpr unsigned traced = ~0u;
  struct Adjustments {
    // Leaf number, and an axis whose extent changes (or `traced`: the leaf is one that a derivative follows).
    std::set<std::pair<unsigned, unsigned>> leaves;
    // Number of a list whose length changes, and what its items are.
    std::map<unsigned, ItemType> lists;
  };
  enum class Fit : uint8_t { same, again, type };

  Carrier(Stager& stager, Operation& operation, Region& body, RegionTape& tape)
      : stager_(stager), operation_(operation), body_(body), tape_(tape) {}
  // Leaves and lists are numbered within a variable.
  void begin_variable() {
    entered_ = left_ = lists_entered_ = lists_left_ = 0;
    renumbered_ = false;
  }
  Value enter(const Value& incoming, const Adjustments& known);
  Fit leave(const Value& head, const Value& outgoing, Adjustments& needed);
  // What stands after the loop for a value at its head.
  Value after(const Value& head);

 private:
  Value enter_leaf(const Value& incoming, const Adjustments& known);
  Fit leave_leaf(const Value& head, const Value& outgoing, Adjustments& needed);
  Fit leave_list(const Value& head, const Value& outgoing, unsigned number, Adjustments& needed);
  Fit leave_traced(const Value& head, const Value& outgoing, Adjustments& needed);
  Fit leave_all(const std::vector<Value>& head, const std::vector<Value>& outgoing, Adjustments& needed);
  Stager& stager_;
  Operation& operation_;
  Region& body_;
  RegionTape& tape_;
  unsigned entered_ = 0, left_ = 0, lists_entered_ = 0, lists_left_ = 0;
  bool renumbered_ = false;   // the next walk has other leaves
  std::map<Id, Id> results_;  // by parameter
};

bool is_leaf(const Value& value);  // a number, tensor or Symbol
// The same value, whatever happens.
bool same_value(const Value& a, const Value& b);
bool is_compound(const Value& value);  // a tree, a sequence or a closure
// Compounds that differ in their parts only.
bool same_but_parts(const Value& a, const Value& b);

}  // namespace covec::ir
