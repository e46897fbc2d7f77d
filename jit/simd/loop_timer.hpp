// Emits around a loop of measured code (explain(f, measure=true)) what notes the time that it takes. A loop inside of
// another one that is timed notes nothing.
#pragma once

#include <cstddef>

#include "jit/simd/machine/runtime_calls.hpp"

namespace covec::simd {

class LoopTimer {
 public:
  // `poll`: the step of the loop's Poll, by which it is known.
  LoopTimer(x86::Compiler& compiler, ScalarRegisters& registers, const RuntimeCalls& calls, uint32_t poll)
      : cc_(compiler), r_(registers), calls_(calls), poll_(poll) {}

  void begin() {
    const Label inside = cc_.newLabel();
    cc_.cmp(loop(), 0);
    cc_.jne(inside);
    cc_.mov(loop(), poll_ + 1);
    cc_.mov(calls_.field(offsetof(loops::ActivationRecord, loop_began)), clock());
    cc_.bind(inside);
  }
  void end() {
    const Label inside = cc_.newLabel();
    cc_.cmp(loop(), poll_ + 1);
    cc_.jne(inside);
    const x86::Gp now = clock(), times = r_.word();
    cc_.sub(now, calls_.field(offsetof(loops::ActivationRecord, loop_began)));
    cc_.mov(times, calls_.field(offsetof(loops::ActivationRecord, loop_times)));
    const auto own = static_cast<int32_t>(poll_ * sizeof(loops::LoopTime));
    cc_.add(x86::qword_ptr(times, own + static_cast<int32_t>(offsetof(loops::LoopTime, ticks))), now);
    cc_.add(x86::qword_ptr(times, own + static_cast<int32_t>(offsetof(loops::LoopTime, times))), 1);
    cc_.mov(loop(), 0);
    cc_.bind(inside);
  }

 private:
  x86::Mem loop() const { return calls_.field(offsetof(loops::ActivationRecord, loop)); }
  x86::Gp clock() {
    const x86::Gp high = r_.word(), low = r_.word();
    cc_.rdtsc(high.r32(), low.r32());
    cc_.shl(high, 32);
    cc_.or_(low, high);
    return low;
  }

  x86::Compiler& cc_;
  ScalarRegisters& r_;
  const RuntimeCalls& calls_;
  const uint32_t poll_;
};

}  // namespace covec::simd
