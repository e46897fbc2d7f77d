// The numbers of a lane loop while its code is emitted: those that vary in vectors, an element for each lane, and those
// that are the same in all lanes in scalar registers. Where lanes compute with one of the latter, it is broadcast.
#pragma once

#include "jit/loops/lanes/varying.hpp"
#include "jit/simd/lanes/lane_masks.hpp"
#include "jit/simd/machine/scalar_registers.hpp"
#include "jit/simd/machine/slot_emitter.hpp"
#include "jit/simd/vector/vector_memory.hpp"

namespace covec::simd {

class LaneValues {
 public:
  LaneValues(Emitter& emitter, const loops::LaneLoop& loop, const loops::Varying& varying, ScalarRegisters& scalars,
             SlotEmitter& slots, VectorRegisters& vectors)
      : e_(emitter),
        cc_(emitter.cc),
        loop_(loop),
        varying_(varying),
        r_(scalars),
        slots_(slots),
        v_(vectors),
        masks_(emitter, vectors),
        memory_(emitter, vectors),
        vectors_(loop.code.registers.size()),
        given_(loop.code.registers.size()) {}

  // A number from outside is in this slot.
  void note_given(const loops::instruction::Load& load) { given_[load.to] = load.slot; }
  // In all lanes; `own`: in a register that nothing else needs.
  x86::Reg vector(loops::Register r, bool& own);
  Operand_ operand(loops::Register r, bool may_be_memory, bool& own);
  // What instruction `at` has made of its result, in a register of its own. `active`: the lanes that are.
  void give(loops::Register r, size_t at, x86::Reg made, x86::Reg active);
  void give_iterations(x86::Reg numbers) { vectors_[loop_.iteration] = numbers; }
  // A number that is the same in all lanes has been computed.
  void note_computed(loops::Register r);

  LaneMasks& masks() { return masks_; }
  VectorMemory& memory() { return memory_; }  // of whole vectors

 private:
  x86::Reg broadcast(loops::Register r);
  x86::Reg& lasting(loops::Register r);

  Emitter& e_;
  x86::Compiler& cc_;
  const loops::LaneLoop& loop_;
  const loops::Varying& varying_;
  ScalarRegisters& r_;
  SlotEmitter& slots_;
  VectorRegisters& v_;
  LaneMasks masks_;
  VectorMemory memory_;
  std::vector<x86::Reg> vectors_;
  std::vector<std::optional<loops::SlotId>> given_;
};

}  // namespace covec::simd
