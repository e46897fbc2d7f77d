#include "interpreter/profile/sampler.hpp"

#include <sched.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace covec::profile {

namespace {

constexpr int signal_number = SIGPROF;

}  // namespace

Sampler::Sampler(const Paths& paths) : paths_(paths), thread_(gettid()) {
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(signal_number, &action, &before_);
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal_number;
  event.sigev_value.sival_ptr = link_.get();
  event._sigev_un._tid = thread_;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer_) != 0) {
    const int error = errno;
    sigaction(signal_number, &before_, nullptr);
    throw std::system_error(error, std::generic_category(), "the timer of a profile");
  }
  const itimerspec every{{0, interval}, {0, interval}};
  runs_ = timer_settime(timer_, 0, &every, nullptr) == 0;
}

// A signal that is on its way comes to this thread before timer_delete returns.
void Sampler::stop() {
  if (!std::exchange(runs_, false)) return;
  timer_delete(timer_);
  link_->sampler = nullptr;
  if (!is_of_this_thread()) {
    while (link_->handlers != 0) sched_yield();
    leave_behind(std::move(link_));
    if (before_.sa_handler == SIG_DFL) before_.sa_handler = SIG_IGN;  // it would end the process
  }
  sigaction(signal_number, &before_, nullptr);
}

// All that stay are reachable: nothing has leaked.
void Sampler::leave_behind(std::unique_ptr<Link> link) {
  static std::atomic<Link*> last = nullptr;
  Link* const kept = link.release();
  kept->next = last.exchange(kept);
}

bool Sampler::is_of_this_thread() const { return gettid() == thread_; }

void Sampler::on_signal(int, siginfo_t* info, void* interrupted) {
  if (info->si_code != SI_TIMER) return;
  const int error = errno;
  Link& link = *static_cast<Link*>(info->si_value.sival_ptr);
  ++link.handlers;
  if (Sampler* const sampler = link.sampler) sampler->take(*static_cast<const ucontext_t*>(interrupted));
  --link.handlers;
  errno = error;
}

void Sampler::note_running(bool runs) {
  session_runs_here_.store(runs && is_of_this_thread(), std::memory_order_relaxed);
}

void Sampler::take(const ucontext_t& interrupted) {
  if (!session_runs_here_.load(std::memory_order_relaxed)) return;
  const auto& registers = interrupted.uc_mcontext.gregs;
  Paths::Buffer buffer;
  const std::span<const Step> path = paths_.read(
      buffer, {static_cast<uintptr_t>(registers[REG_RIP]), reinterpret_cast<const uintptr_t*>(registers[REG_RSP])});
  if (!path.empty()) samples_.add(path);
}

}  // namespace covec::profile
