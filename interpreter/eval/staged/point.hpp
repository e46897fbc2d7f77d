// The state of the walk of a staged function: how its paths have ended so far. It also marks a point to return to, if
// the code walked since then cannot be staged.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "interpreter/compiler.hpp"
#include "interpreter/eval/values/frame.hpp"

namespace covec {

// How a function's walk has ended on the paths walked so far: none, or a number or symbol that is a Flow.
struct StagedExit {
  Value flow;
  Value result = Value::unbound();
  const core::Stmt* statement = nullptr;  // the one that is walked
  bool returned = false;                  // all have been: the result is looked at
  bool recursive = false;                 // the function has been met inside itself
  unsigned walked = 0;                    // calls of it inside itself that have been walked into
  std::string known;                      // what the walk knows of the arguments (staged_recursion.hpp)
};

// A place in the walk of a function, to come back to.
class StagedPoint {
 public:
  StagedPoint(Staging& staging, Frame& f)
      : staging_(staging),
        f_(f),
        mark_(staging.mark()),
        place_(staging.place()),
        slots_(f.slots, f.slots + f.closure->function.slots),
        exit_(f.exit != nullptr ? *f.exit : StagedExit()) {}
  const core::Stmt* statement() const { return exit_.statement; }
  // The variables are what they were.
  void restore() const {
    std::copy(slots_.begin(), slots_.end(), f_.slots);
    if (f_.exit != nullptr) *f_.exit = exit_;  // defaults are computed before the walk of the body begins
  }
  // So is what has been staged.
  void rollback() const {
    staging_.set_place(place_);
    staging_.rollback(mark_);
    restore();
  }

 private:
  Staging& staging_;
  Frame& f_;
  const size_t mark_;
  const StagedSource* const place_;
  const std::vector<Value> slots_;
  const StagedExit exit_;
};

}  // namespace covec
