// Tells what depends on values: a function runs with a tape that no sweep will go through (OpenLevel::only_looks). What
// an operator without a derivative gives depends on its operands, and no rule of a function is asked. All other
// derivatives are closed meanwhile, so nothing is recorded on their tapes.
#pragma once

#include "stdlib/autodiff/replay.hpp"
#include "stdlib/autodiff/tape.hpp"

namespace covec::autodiff {

// While it lives, values that were followed are seen in what is made of them.
class Looking {
 public:
  explicit Looking(ops::Builder& builder);
  Value follow(const Value& leaf) { return make_tape(scope_.level(), leaf, tape_.add_input()); }
  // Whether a value that was followed is in the tree, or in what its functions have captured.
  bool reaches(const Value& tree) const;

 private:
  Tape tape_;
  const ReopenedLevels vmaps_;
  LevelScope scope_;
};

// Whether one is open.
bool is_looking(const ops::Context& context);
// The tree with floats that depend on `on`, a value that is traced at `level`, as far as they do not already.
Value depending(const OpenLevel& level, const Value& on, const Value& tree);

}  // namespace covec::autodiff
