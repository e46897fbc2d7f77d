// The border between a host and a session. Whoever comes in finds the standard floating-point environment, and the host
// its own again when it comes back: at the end of a call, and inside a function of the host's that a session calls. The
// border also knows who is inside, so that a call from such a function, or from a second thread, is refused instead of
// changing what runs. Start at Inside.
#pragma once

#include <covec/covec.h>

#include <atomic>
#include <thread>

#include "stdlib/value/floating_state.hpp"

namespace covec::embedding {

struct Border {
  FloatingState outside;                  // the host's, while a call of the host's is inside
  unsigned depth = 0;                     // of such calls: a host's function that a session calls may release values
  std::atomic<std::thread::id> runner{};  // of the call that no other may disturb
  // Values that other threads released meanwhile: whoever was alone lets them go.
  std::atomic<covec_value*> released{nullptr};

  bool enter() {
    std::thread::id nobody;
    return runner.compare_exchange_strong(nobody, std::this_thread::get_id());
  }
  // A value that comes between the last look and the end is seen by the look after the end.
  void leave() {
    do {
      free_released();
      runner.store(std::thread::id());
    } while (released.load() != nullptr && enter());
  }
  void release_later(covec_value* value);

 private:
  void free_released();
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
  explicit Running(Border& border) : border_(border), alone_(border.enter()) {}
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    if (alone_) border_.leave();
  }
  bool alone() const { return alone_; }
  // Refused, in a function of the host's that the session itself has called.
  bool nested() const { return !alone_ && border_.runner == std::this_thread::get_id(); }

 private:
  Border& border_;
  const bool alone_;
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
