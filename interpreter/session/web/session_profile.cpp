// A browser has no signals, so nothing can look at what runs: a profile is refused.
#include "interpreter/session/session_profile.hpp"

#include "interpreter/eval/report/messages.hpp"
#include "stdlib/value/error.hpp"

namespace covec::profile {

class ProfileRun {};

}  // namespace covec::profile

namespace covec {

SessionProfile::SessionProfile(CallStack& stack, ops::Context& context, Units& units, const SourceMap& sources)
    : stack_(stack), context_(context), units_(units), sources_(sources) {}

SessionProfile::~SessionProfile() = default;

void SessionProfile::begin(profile::Profile::Of) { fail(eval::row("no_timer"), {"the page has no signals"}); }

void SessionProfile::note_that(bool) {}

void SessionProfile::let_go() {}

profile::Profile SessionProfile::end() { return {}; }

}  // namespace covec
