// Watches a function that is not compiled as a whole: what its calls take, and how much of that the interpreter takes.
// A program that could do something about it is told once. Start at add().
#pragma once

#include <cstdint>

namespace covec::jit {

class InterpreterWatch {
 public:
  void start() { on_ = true; }
  bool on() const { return on_; }
  // Adds calls, in ns. True: the interpreter has taken long by now, and more than half of all; it is not watched any
  // more.
  bool add(uint64_t taken, uint64_t by_interpreter) {
    constexpr uint64_t long_time = 2000000000;  // ns: 2 s
    taken_ += taken;
    by_interpreter_ += by_interpreter;
    if (by_interpreter_ < long_time || by_interpreter_ <= taken_ / 2) return false;
    on_ = false;
    return true;
  }

 private:
  bool on_ = false;
  uint64_t taken_ = 0, by_interpreter_ = 0;
};

}  // namespace covec::jit
