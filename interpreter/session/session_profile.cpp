#include "interpreter/session/session_profile.hpp"

#include <system_error>

#include "interpreter/eval/report/messages.hpp"
#include "interpreter/profile/run.hpp"
#include "stdlib/value/error.hpp"

namespace covec {

SessionProfile::SessionProfile(CallStack& stack, ops::Context& context, Units& units, const SourceMap& sources)
    : stack_(stack), context_(context), units_(units), sources_(sources) {}

SessionProfile::~SessionProfile() = default;

void SessionProfile::begin(profile::Profile::Of of) {
  texts_ = units_.hold();
  try {
    run_ = std::make_unique<profile::ProfileRun>(stack_, context_, of);
  } catch (const std::system_error& error) {
    fail(eval::row("no_timer"), {error.code().message()});
  }
  units_.mark(true);
}

void SessionProfile::note_that(bool runs) { run_->note_running(runs); }

void SessionProfile::let_go() { run_.reset(); }

profile::Profile SessionProfile::end() {
  profile::Profile profile = run_->end(sources_);
  run_.reset();
  texts_.reset();
  units_.mark(false);
  return profile;
}

}  // namespace covec
