// The border between a host and a session. Whoever comes in finds the standard floating-point environment, and the host
// its own again when it comes back: at the end of a call, and inside a function of the host's that a session calls. The
// border also knows who is inside, so that a call from such a function, or from a second thread, is refused instead of
// changing what runs. Start at Inside.
#pragma once

#include <atomic>
#include <thread>

#include "stdlib/value/floating_state.hpp"

namespace covec::embedding {

struct Border {
  FloatingState outside;                  // the host's, while a call of the host's is inside
  unsigned depth = 0;                     // of such calls: a host's function that a session calls may release values
  std::atomic<std::thread::id> runner{};  // of the call that no other may disturb
};

// A call of the host's, whatever it does.
class Inside {
 public:
  explicit Inside(Border& border) : border_(border) {
    const bool first = border_.depth++ == 0;
    if (first) border_.outside.read();
    if (!first || !border_.outside.is_standard()) FloatingState().set();
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() {
    if (--border_.depth == 0)
      border_.outside.put_back();
    else
      border_.outside.set();
  }

 private:
  Border& border_;
};

// One that uses the session: it is the only one.
class Running {
 public:
  explicit Running(Border& border) : border_(border) {
    std::thread::id nobody;
    alone_ = border_.runner.compare_exchange_strong(nobody, std::this_thread::get_id(), std::memory_order_acquire);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    if (alone_) border_.runner.store(std::thread::id(), std::memory_order_release);
  }
  bool alone() const { return alone_; }
  // Refused, in a function of the host's that the session itself has called.
  bool nested() const { return !alone_ && border_.runner == std::this_thread::get_id(); }

 private:
  Border& border_;
  bool alone_;
};

// A function of the host's that a session calls. What it does to its environment is the host's from then on.
class Outside {
 public:
  explicit Outside(Border& border) : border_(border) { border_.outside.set(); }
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;
  ~Outside() {
    border_.outside.read();
    FloatingState().set();
  }

 private:
  Border& border_;
};

}  // namespace covec::embedding
