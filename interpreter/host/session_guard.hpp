// The guard of a session against its host. It knows the thread inside a session. So it refuses a call from a second
// thread, or from a host function that the session calls, before the call can change the running program. Code inside
// has the standard floating-point environment. The host has its own again after the call, and inside its functions that
// the session calls. Start at SessionGuard, then Inside.
#pragma once

#include <covec/covec.h>

#include <atomic>
#include <cstdint>
#include <utility>

#include "stdlib/value/floating_state.hpp"

namespace covec::embedding {

class SessionGuard {
 public:
  // What somebody is inside for. A release is short and calls nothing of the host's: others wait until it is over.
  enum class Purpose : uintptr_t { call = 0, release = 1 };
  // False while another call is inside.
  bool enter(Purpose purpose = Purpose::call) {
    uintptr_t nobody = 0;
    const uintptr_t me = this_thread() | static_cast<uintptr_t>(purpose);
    return runner_.compare_exchange_strong(nobody, me, std::memory_order_acquire, std::memory_order_relaxed) ||
           enter_after(nobody, me);
  }
  // Whoever is inside stays, so nobody waits any more.
  void close() { runner_.store(this_thread()); }
  void leave() { runner_.store(0, std::memory_order_release); }
  // This thread is inside: it runs a function of the host's that the session has called.
  bool is_here() const { return thread_of(runner_.load(std::memory_order_relaxed)) == this_thread(); }

  class Inside;
  class Outside;

 private:
  // Differs between threads that exist at the same time; even.
  static uintptr_t this_thread() { return reinterpret_cast<uintptr_t>(__builtin_thread_pointer()); }
  static uintptr_t thread_of(uintptr_t runner) { return runner & ~uintptr_t{1}; }
  static bool releases(uintptr_t runner) { return runner != thread_of(runner); }
  bool enter_after(uintptr_t runner, uintptr_t me);

  std::atomic<uintptr_t> runner_{0};  // the thread that is inside, and its purpose
  FloatingState outside_;             // the host's, while something computes inside
  unsigned depth_ = 0;                // of what computes: a function of the host's may ask for a text
  bool is_outside_ = false;           // in such a function, while something computes
};

// A call that computes. A function of the host's that it calls may ask for more.
class SessionGuard::Inside {
 public:
  explicit Inside(SessionGuard& guard) : guard_(guard), from_outside_(std::exchange(guard.is_outside_, false)) {
    const bool first = guard_.depth_++ == 0;
    if (first) guard_.outside_.read();
    if (!first || !guard_.outside_.is_standard()) FloatingState().set();
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() {
    guard_.is_outside_ = from_outside_;
    if (--guard_.depth_ == 0)
      guard_.outside_.put_back();
    else
      guard_.outside_.set();
  }

 private:
  SessionGuard& guard_;
  const bool from_outside_;
};

// A function of the host's that a session calls. What it does to its environment is the host's from then on. Where
// nothing computes, as in covec_release, the environment is the host's already, and so it is where one function of the
// host's makes the session call another.
class SessionGuard::Outside {
 public:
  explicit Outside(SessionGuard& guard)
      : guard_(guard), switches_(guard.depth_ > 0 && !std::exchange(guard.is_outside_, true)) {
    if (switches_) guard_.outside_.set();
  }
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;
  ~Outside() {
    if (!switches_) return;
    guard_.is_outside_ = false;
    guard_.outside_.read();
    FloatingState().set();
  }

 private:
  SessionGuard& guard_;
  const bool switches_;
};

}  // namespace covec::embedding
