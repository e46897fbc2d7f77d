// Builds a call that pauses. The code leaves at the pause, and the second call of the same function begins there.
#pragma once

#include "jit/loops/build/steps.hpp"

namespace covec::loops {

class PauseBuilder {
 public:
  PauseBuilder(Plan& plan, CodeBuilder& code, Placement& places, StepBuilder& steps)
      : plan_(plan), code_(code), places_(places), steps_(steps) {}
  void pause(const ir::Operation& operation);
  // When all else has been built: the way from the function's beginning to where it goes on.
  void finish();

 private:
  Plan& plan_;
  CodeBuilder& code_;
  Placement& places_;
  StepBuilder& steps_;
  size_t paused_at_ = 0;  // the instruction after the one that leaves the function there
};

}  // namespace covec::loops
