// No other thread can watch: a run with a deadline is refused. A page ends the worker in which the session runs.
#include "interpreter/session/watchdog.hpp"

#include "interpreter/eval/report/messages.hpp"
#include "stdlib/value/error.hpp"

namespace covec {

Deadline::Deadline(std::chrono::microseconds time, std::atomic<bool>& interrupt) : interrupt_(interrupt) {
  if (time > std::chrono::microseconds::zero()) fail(eval::row("no_watchdog"), {"the page has one thread"});
}

Deadline::~Deadline() = default;

void tell_of_deadline(CovecError&, std::chrono::microseconds) {}  // none has passed

}  // namespace covec
