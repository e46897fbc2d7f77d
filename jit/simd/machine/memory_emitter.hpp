// Instructions that reach into memory, each given to the emitter of its kind of memory. Start at emit().
#pragma once

#include "jit/simd/machine/element_emitter.hpp"
#include "jit/simd/machine/list_emitter.hpp"
#include "jit/simd/machine/stack_emitter.hpp"

namespace covec::simd {

class MemoryEmitter {
 public:
  MemoryEmitter(Emitter& emitter, ScalarRegisters& registers, RuntimeCalls& calls);
  void begin(bool has_stacks, std::span<const loops::View> views);
  // `next`: the instructions behind it.
  void emit(const loops::Instruction& i, std::span<const loops::Instruction> next);
  void enter_loop() { views_.enter_loop(); }
  void leave_loop() { views_.leave_loop(); }

 private:
  RuntimeCalls& calls_;
  ScalarMemory memory_;
  SlotEmitter slots_;
  StackEmitter stacks_;
  ListEmitter lists_;
  ViewEmitter views_;
  ElementEmitter elements_;
};

}  // namespace covec::simd
