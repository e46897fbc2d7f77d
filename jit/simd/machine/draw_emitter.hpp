// Scalars that are drawn ahead. The buffer says which calls' numbers it has. Where the session's next call is none of
// them, under its key, the runtime fills the buffer, and the draw begins again.
#pragma once

#include "jit/simd/machine/runtime_calls.hpp"
#include "jit/simd/machine/slot_emitter.hpp"

namespace covec::simd {

class DrawEmitter {
 public:
  DrawEmitter(Emitter& emitter, ScalarRegisters& registers, RuntimeCalls& calls, ScalarMemory& memory,
              SlotEmitter& slots)
      : e_(emitter), cc_(emitter.cc), r_(registers), calls_(calls), memory_(memory), slots_(slots) {}
  void begin();
  void draw(const loops::instruction::Draw& i);
  void next_call(const loops::instruction::NextCall& i);
  void set_next_call(const loops::instruction::SetNextCall& i);

 private:
  Emitter& e_;
  x86::Compiler& cc_;
  ScalarRegisters& r_;
  RuntimeCalls& calls_;
  ScalarMemory& memory_;
  SlotEmitter& slots_;
  x86::Gp random_, drawn_;
};

}  // namespace covec::simd
