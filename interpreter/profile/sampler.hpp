// Sampler: looks a thousand times a second at what the interpreter's thread does. A timer sends that thread a signal;
// its handler follows the chain of frames. Time counts on the wall's clock, so waiting is seen, too. A thread that the
// system keeps from running gets one signal when it goes on: other programs do not change the shares. Start at take().
#pragma once

#include <csignal>
#include <ctime>
#include <memory>

#include "interpreter/profile/paths.hpp"
#include "interpreter/profile/samples.hpp"

namespace covec::profile {

class Sampler {
 public:
  static constexpr long interval = 1'000'000;  // ns between two samples
  // Begins on this thread. Throws std::system_error where there is no timer.
  explicit Sampler(const Paths& paths);
  ~Sampler() { stop(); }
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;
  void stop();
  // Whether the session runs on a thread, from now on: only on that of the profile may its frames be followed.
  void note_running(bool runs);
  bool is_of_this_thread() const;
  const Samples& samples() const { return samples_; }

 private:
  // What signals bring along. One may be on its way to its thread when another thread ends the profile: then this stays
  // for ever.
  struct Link {
    std::atomic<Sampler*> sampler;
    std::atomic<int> handlers = 0;
    Link* next = nullptr;  // of those that stay
  };
  static void leave_behind(std::unique_ptr<Link> link);
  static void on_signal(int, siginfo_t* info, void*);
  void take(const ucontext_t& interrupted);

  const Paths& paths_;
  Samples samples_;
  std::unique_ptr<Link> link_{new Link{.sampler = this}};
  struct sigaction before_ = {};
  timer_t timer_ = nullptr;
  const pid_t thread_;
  bool runs_ = false;  // the timer
  std::atomic<bool> session_runs_here_ = false;
};

}  // namespace covec::profile
