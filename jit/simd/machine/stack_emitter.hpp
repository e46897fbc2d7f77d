// Stacks of numbers, on which a loop leaves what the loop of its derivative takes back. Each number is a word of 8
// bytes. A push that finds a stack full asks the runtime for a larger one, and begins again.
#pragma once

#include "jit/simd/machine/runtime_calls.hpp"
#include "jit/simd/machine/scalar_memory.hpp"

namespace covec::simd {

class StackEmitter {
 public:
  StackEmitter(Emitter& emitter, ScalarRegisters& registers, RuntimeCalls& calls, ScalarMemory& memory)
      : e_(emitter), cc_(emitter.cc), r_(registers), calls_(calls), memory_(memory) {}
  void begin();
  void push(const loops::instruction::PushNumber& i);
  void pop(const loops::instruction::PopNumber& i);

 private:
  void check(uint32_t stack, const x86::Gp& word);

  Emitter& e_;
  x86::Compiler& cc_;
  ScalarRegisters& r_;
  RuntimeCalls& calls_;
  ScalarMemory& memory_;
  x86::Gp stacks_;
};

}  // namespace covec::simd
