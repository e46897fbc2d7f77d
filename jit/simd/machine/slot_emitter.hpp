// The slots of a function: values of 16 bytes, a tag and a payload. A number is the payload; of a tensor or list it is
// the address of the header. Start at load() and store().
#pragma once

#include <span>

#include "jit/simd/machine/runtime_calls.hpp"
#include "jit/simd/machine/scalar_memory.hpp"

namespace covec::simd {

class SlotEmitter {
 public:
  SlotEmitter(Emitter& emitter, ScalarRegisters& registers, ScalarMemory& memory)
      : cc_(emitter.cc), r_(registers), memory_(memory) {}
  void begin(const RuntimeCalls& calls);
  void load(const loops::instruction::Load& i);
  void store(const loops::instruction::Store& i);
  void save(std::span<const loops::instruction::Saved> saves);  // before a step
  x86::Mem tag(loops::SlotId slot) const;
  x86::Mem payload(loops::SlotId slot) const;  // a number
  x86::Gp header(loops::SlotId slot);

 private:
  void store(loops::SlotId slot, loops::Register number);

  x86::Compiler& cc_;
  ScalarRegisters& r_;
  ScalarMemory& memory_;
  x86::Gp slots_;
};

}  // namespace covec::simd
