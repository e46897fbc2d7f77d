#include "interpreter/profile/sampler.hpp"

#include <sched.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "frontend/core/marks.hpp"

namespace covec::profile {

namespace {

constexpr int signal_number = SIGPROF;

const ops::Activity* outermost_compilation(const ops::Activity* activity) {
  const ops::Activity* found = nullptr;
  for (; activity != nullptr; activity = activity->outer) {
    if (activity->kind == ops::Activity::Kind::compiling) found = activity;
  }
  return found;
}

}  // namespace

Sampler::Sampler(CallStack& stack, const ops::Activities& activities)
    : stack_(stack), activities_(activities), thread_(gettid()) {
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

// Where the frame is: at the call of the one inside, or at its marked statement, or at the operator inside of that one
// that is applied. A function without statements has its expression.
Step Sampler::place_of(const Frame& frame, const Frame* inside) const {
  const core::Function* const function = frame.closure != nullptr ? &frame.closure->function : nullptr;
  const auto at = [&](const Span& span) { return Step{Step::Kind::call, span.file, span.begin, function}; };
  if (inside != nullptr && inside->site != nullptr && inside->site->known()) return at(*inside->site);
  Span statement{frame.source_unit->unit->file, 0, 0};
  if (function != nullptr && function->expression != nullptr)
    statement = function->expression->span;
  else if (frame.at != nullptr)
    statement = core::head_of(*frame.at);
  else if (function != nullptr)
    statement = function->name_span;
  const Span* const site = stack_.context().site;
  return at(inside == nullptr && site != nullptr && statement.contains(*site) ? *site : statement);
}

void Sampler::note_running(bool runs) {
  session_runs_here_.store(runs && is_of_this_thread(), std::memory_order_relaxed);
}

namespace {

// Which place of the graph runs: that of the machine code where the thread is, or from where it has called what it is
// in: the innermost address in its stack that is one of code with a place. The instruction in front of the address: a
// processor stops behind the one that it has waited for.
constexpr size_t farthest = 512;  // words of the stack that are looked at

uint32_t placed_by(const ops::Activity& code, const ucontext_t& interrupted) {
  if (code.placed == nullptr || (code.step != ops::Activity::no_step && code.by_step)) return 0;
  const auto at = static_cast<uintptr_t>(interrupted.uc_mcontext.gregs[REG_RIP]);
  if (const uint32_t place = code.placed->place_at(at - 1); place != 0) return place;
  const auto* word = reinterpret_cast<const uintptr_t*>(interrupted.uc_mcontext.gregs[REG_RSP]);
  const auto* const end = reinterpret_cast<const uintptr_t*>(&code);  // the code has been called from there
  for (size_t k = 0; k < farthest && word < end; ++k, ++word) {
    if (const uint32_t place = code.placed->place_at(*word - 1); place != 0) return place;
  }
  return 0;
}

}  // namespace

void Sampler::take(const ucontext_t& interrupted) {
  if (!session_runs_here_.load(std::memory_order_relaxed)) return;
  std::array<Step, Samples::longest_path> path;
  size_t length = 0;
  const ops::Activity* activity = activities_.innermost();
  const Frame* inside = nullptr;
  const Frame* frame = stack_.innermost();
  const auto leaf = [&](const ops::Activity& of) {
    if (of.kind == ops::Activity::Kind::compiling) {
      path[length++] = {Step::Kind::compiling, 0, 0, of.what};
      return;
    }
    const uint32_t place = &of == activities_.innermost() && length == 0 ? placed_by(of, interrupted) : 0;
    path[length++] = {Step::Kind::code, place, place != 0 ? ops::Activity::no_step : of.step, of.what};
  };
  // What is walked for the compiler is compiling. Frames of that walk may have no caller: then only the compilation
  // knows for which call it works.
  if (const ops::Activity* const compilation = outermost_compilation(activity)) {
    for (; frame != nullptr && frame != compilation->frame; frame = frame->caller) inside = frame;
    if (frame == nullptr) {
      frame = static_cast<const Frame*>(compilation->frame);
      inside = nullptr;
    }
    leaf(*compilation);
    activity = compilation->outer;
  }
  // Code that a host calls has no frame around it.
  for (;; inside = frame, frame = frame->caller) {
    for (; activity != nullptr && activity->frame == frame && length + 2 < path.size(); activity = activity->outer)
      leaf(*activity);
    if (frame == nullptr) break;
    if (length + 1 == path.size()) {
      path[length++] = {Step::Kind::cut, 0, 0, nullptr};
      break;
    }
    path[length++] = place_of(*frame, inside);
  }
  if (length > 0) samples_.add({path.data(), length});
}

}  // namespace covec::profile
