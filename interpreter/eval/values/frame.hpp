// Frame: one activation, of a function or of module-level text. Its values lie in a window of the value stack
// (call_stack.hpp); its caller is the frame below. While a function is staged its frames are numbered. The walk uses
// is_staged() to know, frame by frame, that it walks for the compiler.
#pragma once

#include "frontend/core/core.hpp"
#include "interpreter/eval/values/closure.hpp"
#include "interpreter/eval/values/raw.hpp"

namespace covec {

struct StagedExit;  // staged_point.hpp

struct Frame {
  Value* slots = nullptr;
  const Value* constants = nullptr;
  Value* globals = nullptr;
  const LoadedUnit* source_unit = nullptr;
  const Closure* closure = nullptr;  // nullptr: module-level code
  Frame* caller = nullptr;
  const Span* site = nullptr;      // where it was called: a node's, or nullptr
  const core::Stmt* at = nullptr;  // the last statement that is marked (frontend/core/marks.hpp)
  Raw result = {};                 // of `return`; owned by whoever sees Flow::return_
  StagedExit* exit = nullptr;      // while the function's body is staged: how its paths end
  uint32_t staged = unstaged;      // the number of a frame that is staged
  static constexpr uint32_t unstaged = UINT32_MAX;
  bool bound = false;  // whoever calls has bound and checked its arguments: extents that only the run knows agree
  bool is_staged() const { return staged != unstaged; }
};

inline Value& slot_of(const core::Slot& slot, const Frame& f) {
  return slot.global ? f.globals[slot.index] : f.slots[slot.index];
}

}  // namespace covec
