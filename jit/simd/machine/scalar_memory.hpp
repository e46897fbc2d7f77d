// Loads and stores of one number of any dtype. In memory a number is as wide as its dtype; in a register narrow
// integers and halves are what they are computed with. Start at load().
#pragma once

#include "jit/simd/machine/scalar_registers.hpp"

namespace covec::simd {

class ScalarMemory {
 public:
  ScalarMemory(Emitter& emitter, ScalarRegisters& registers) : cc_(emitter.cc), r_(registers) {}
  void load(loops::Register to, x86::Mem from);
  void store(x86::Mem to, loops::Register from);
  void store_word(x86::Mem to, loops::Register from);

 private:
  void load_integer(const x86::Gp& to, const x86::Mem& from, Dtype dtype);
  void store_integer(const x86::Mem& to, const x86::Gp& from);
  void load_half(const x86::Xmm& to, const x86::Mem& from, Dtype dtype);
  x86::Gp half_bits(loops::Register from);

  x86::Compiler& cc_;
  ScalarRegisters& r_;
};

}  // namespace covec::simd
