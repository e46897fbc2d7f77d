// What ANTLR's runtime wants of <mutex> and <condition_variable>, and Debian's C++ library for wasm lacks: there is one
// thread.
#pragma once

#include <mutex>

namespace std {

class mutex {
 public:
  void lock() {}
  bool try_lock() { return true; }
  void unlock() {}
};

class condition_variable {
 public:
  template <class Lock>
  void wait(Lock&) {}
  void notify_one() {}
  void notify_all() {}
};

}  // namespace std
