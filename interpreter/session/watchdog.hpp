// Deadlines of runs. One thread in the process watches them all. It is made with the first deadline, sleeps until the
// earliest, and sets the interrupt flags of late runs. Compiled loops check only that flag, so a deadline costs them
// nothing. The trade-off: a deadline that was met is removed without waking the thread, which then wakes once for
// nothing. Start at Deadline.
#pragma once

#include <atomic>
#include <chrono>

#include "frontend/source/diagnostic.hpp"

namespace covec {

class Deadline {
 public:
  // Of what runs from here to the end of the scope; 0: none. Throws OpError(no_watchdog) where there is no thread.
  Deadline(std::chrono::microseconds time, std::atomic<bool>& interrupt);
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  ~Deadline();
  bool has_passed() const { return passed_.load(std::memory_order_relaxed); }

 private:
  class Watchdog;
  using Clock = std::chrono::steady_clock;
  Clock::time_point at_;
  std::atomic<bool>& interrupt_;
  std::atomic<bool> passed_ = false;
  Watchdog* watchdog_ = nullptr;  // nullptr: there is no deadline
  Deadline* before_ = nullptr;    // in the list of the watchdog
  Deadline* after_ = nullptr;
};

// The error of a run that was late: where it is an interrupt, it tells of the limit instead.
void tell_of_deadline(CovecError& error, std::chrono::microseconds time);

}  // namespace covec
