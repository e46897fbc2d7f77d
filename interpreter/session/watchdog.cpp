#include "interpreter/session/watchdog.hpp"

#include <condition_variable>
#include <csignal>
#include <mutex>
#include <system_error>
#include <thread>

#include <unistd.h>

#include "interpreter/eval/report/messages.hpp"
#include "stdlib/value/error.hpp"

namespace covec {

// It is never destroyed: its thread ends with the process. After a fork the child makes one of its own.
class Deadline::Watchdog {
 public:
  static Watchdog& of_this_process() {
    static std::mutex making;
    static std::atomic<Watchdog*> made = nullptr;
    Watchdog* found = made.load(std::memory_order_acquire);
    if (found == nullptr || found->process_ != getpid()) {
      const std::lock_guard lock(making);
      found = made.load(std::memory_order_acquire);
      if (found == nullptr || found->process_ != getpid()) made.store(found = new Watchdog, std::memory_order_release);
    }
    return *found;
  }

  void add(Deadline& deadline) {
    const std::lock_guard lock(mutex_);
    deadline.after_ = first_;
    if (first_ != nullptr) first_->before_ = &deadline;
    first_ = &deadline;
    if (deadline.at_ < wakes_at_) changed_.notify_one();
  }
  void remove(Deadline& deadline) {
    if (process_ != getpid()) return;  // a fork in the middle of a run
    const std::lock_guard lock(mutex_);
    (deadline.before_ != nullptr ? deadline.before_->after_ : first_) = deadline.after_;
    if (deadline.after_ != nullptr) deadline.after_->before_ = deadline.before_;
  }

 private:
  using Clock = Deadline::Clock;

  Watchdog() : process_(getpid()) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // the host's handlers run on the host's threads
    try {
      std::thread([this] { watch(); }).detach();
    } catch (const std::system_error& error) {
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
      fail(eval::row("no_watchdog"), {error.what()});
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void watch() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wakes_at_ = interrupt_the_late();
      if (wakes_at_ == Clock::time_point::max())
        changed_.wait(lock);
      else
        changed_.wait_until(lock, wakes_at_);
    }
  }

  // When the next look is due. A run that is late is told again, until it has ended: whoever noticed may have gone on.
  Clock::time_point interrupt_the_late() {
    constexpr std::chrono::milliseconds again{10};  // until a late run is told again
    const Clock::time_point now = Clock::now();
    Clock::time_point next = Clock::time_point::max();
    for (Deadline* one = first_; one != nullptr; one = one->after_) {
      if (one->at_ <= now) {
        one->passed_.store(true, std::memory_order_relaxed);
        one->interrupt_.store(true, std::memory_order_relaxed);
        one->at_ = now + again;
      }
      next = std::min(next, one->at_);
    }
    return next;
  }

  const pid_t process_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Deadline* first_ = nullptr;
  Clock::time_point wakes_at_ = Clock::time_point::max();
};

namespace {

// Later than any run ends, and no overflow.
constexpr std::chrono::microseconds longest = std::chrono::hours(24 * 365 * 100);

}  // namespace

Deadline::Deadline(std::chrono::microseconds time, std::atomic<bool>& interrupt) : interrupt_(interrupt) {
  if (time <= std::chrono::microseconds::zero()) return;
  Watchdog& watchdog = Watchdog::of_this_process();
  at_ = Clock::now() + std::min(time, longest);
  watchdog.add(*this);
  watchdog_ = &watchdog;
}

Deadline::~Deadline() {
  if (watchdog_ != nullptr) watchdog_->remove(*this);
}

namespace {

std::string shown(std::chrono::microseconds time) {
  const int64_t count = time.count();
  if (count % 1'000'000 == 0) return std::to_string(count / 1'000'000) + " s";
  return count % 1000 == 0 ? std::to_string(count / 1000) + " ms" : std::to_string(count) + " us";
}

}  // namespace

void tell_of_deadline(CovecError& error, std::chrono::microseconds time) {
  Diagnostic& first = error.diagnostics.front();
  if (first.kind != ErrorKind::interrupted) return;
  const Message& message = eval::row("deadline");
  first.code = message.key;
  first.message = message.pattern;
  first.message.replace(first.message.find("{}"), 2, shown(time));
}

}  // namespace covec
