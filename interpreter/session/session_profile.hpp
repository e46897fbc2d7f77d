// SessionProfile: a profile of what a session runs (interpreter/profile). Nothing runs at its begin or end.
#pragma once

#include <memory>
#include <optional>

#include "frontend/source/source.hpp"
#include "interpreter/profile/profile.hpp"
#include "interpreter/session/units.hpp"
#include "stdlib/value/context.hpp"

namespace covec {

class CallStack;

class SessionProfile {
 public:
  SessionProfile(CallStack& stack, ops::Context& context, Units& units, const SourceMap& sources)
      : stack_(stack), context_(context), units_(units), sources_(sources) {}
  // A profile of all that runs on this thread until end(). OpError: the system has no timer.
  void begin();
  profile::Profile end();
  const profile::ProfileRun* run() const { return run_ ? &*run_ : nullptr; }  // nullptr: none is being taken
  // Whether something of the session runs.
  void note_running(bool runs) {
    if (run_) run_->note_running(runs);
  }
  void let_go() { run_.reset(); }

 private:
  CallStack& stack_;
  ops::Context& context_;
  Units& units_;
  const SourceMap& sources_;
  std::optional<profile::ProfileRun> run_;
  std::shared_ptr<const void> texts_;  // that it speaks of
};

}  // namespace covec
