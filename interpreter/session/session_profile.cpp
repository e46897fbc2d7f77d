#include "interpreter/session/session_profile.hpp"

#include <system_error>

#include "interpreter/eval/report/messages.hpp"
#include "stdlib/value/error.hpp"

namespace covec {

void SessionProfile::begin() {
  texts_ = units_.hold();
  try {
    run_.emplace(stack_, context_);
  } catch (const std::system_error& error) {
    fail(eval::row("no_timer"), {error.code().message()});
  }
  units_.mark(true);
}

profile::Profile SessionProfile::end() {
  profile::Profile profile = run_->end(sources_);
  run_.reset();
  texts_.reset();
  units_.mark(false);
  return profile;
}

}  // namespace covec
