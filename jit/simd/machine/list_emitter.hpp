// The items of lists of numbers: length, load, store, push. Headers are read where they lie
// (stdlib/value/list_layout.hpp). What a list cannot take in place is left to the runtime.
#pragma once

#include "jit/simd/machine/slot_emitter.hpp"

namespace covec::simd {

class ListEmitter {
 public:
  ListEmitter(Emitter& emitter, ScalarRegisters& registers, RuntimeCalls& calls, ScalarMemory& memory,
              SlotEmitter& slots)
      : e_(emitter), cc_(emitter.cc), r_(registers), calls_(calls), memory_(memory), slots_(slots) {}
  void length(const loops::instruction::ListLength& i);
  void load(const loops::instruction::ListItem& i);
  void store(const loops::instruction::ListSet& i);
  void push(const loops::instruction::ListPush& i);

 private:
  void load_length(const x86::Gp& list, const x86::Gp& length);
  x86::Mem item(const x86::Gp& list, loops::Register index, const Label& out_of_range);

  Emitter& e_;
  x86::Compiler& cc_;
  ScalarRegisters& r_;
  RuntimeCalls& calls_;
  ScalarMemory& memory_;
  SlotEmitter& slots_;
};

}  // namespace covec::simd
