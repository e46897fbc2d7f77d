// SessionProfile: a profile of what a session runs (interpreter/profile). Nothing runs at its begin or end.
#pragma once

#include <memory>

#include "frontend/source/source.hpp"
#include "interpreter/profile/profile.hpp"
#include "interpreter/session/units.hpp"
#include "stdlib/value/context.hpp"

namespace covec {

class CallStack;
namespace profile {
class ProfileRun;
}

class SessionProfile {
 public:
  SessionProfile(CallStack& stack, ops::Context& context, Units& units, const SourceMap& sources);
  ~SessionProfile();
  // A profile of all that runs on this thread until end(). OpError: the system has no timer, which one of time needs.
  void begin(profile::Profile::Of of = profile::Profile::Of::time);
  profile::Profile end();
  const profile::ProfileRun* run() const { return run_.get(); }  // nullptr: none is being taken
  // Whether something of the session runs.
  void note_running(bool runs) {
    if (run_ != nullptr) note_that(runs);
  }
  void let_go();

 private:
  void note_that(bool runs);

  CallStack& stack_;
  ops::Context& context_;
  Units& units_;
  const SourceMap& sources_;
  std::unique_ptr<profile::ProfileRun> run_;
  std::shared_ptr<const void> texts_;  // that it speaks of
};

}  // namespace covec
