// Paths: where the interpreter's thread is, from the innermost place outwards: compiled code, calls and statements.
// Safe in a signal handler. Start at read().
#pragma once

#include <array>

#include "interpreter/eval/apply/call_stack.hpp"
#include "interpreter/profile/samples.hpp"
#include "stdlib/ops/contract/activity.hpp"

namespace covec::profile {

// Where the thread's machine code is.
struct Position {
  uintptr_t instruction = 0;
  const uintptr_t* stack = nullptr;  // its lowest word
  // Words of the stack that are looked at, for the code that has called what runs: a sample has little time.
  static constexpr size_t few = 512, many = 1 << 16;
  size_t words = few;
};

class Paths {
 public:
  using Buffer = std::array<Step, Samples::longest_path>;
  Paths(const CallStack& stack, const ops::Activities& activities) : stack_(stack), activities_(activities) {}
  // Where the thread is now: nowhere, if nothing runs. Gives the part of the buffer that it has filled.
  std::span<const Step> read(Buffer& buffer, const Position& at) const;

 private:
  Step place_of(const Frame& frame, const Frame* inside) const;

  const CallStack& stack_;
  const ops::Activities& activities_;
};

}  // namespace covec::profile
