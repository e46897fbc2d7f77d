// Which lanes are meant: masks, and questions about them. Start at copy().
#pragma once

#include "jit/simd/vector/vector_registers.hpp"

namespace covec::simd {

class LaneMasks {
 public:
  LaneMasks(Emitter& emitter, VectorRegisters& vectors) : e_(emitter), cc_(emitter.cc), v_(vectors) {}

  // For instructions on masks: of one that has been spilled, asmjit makes instructions that there are not.
  x86::Reg copy(x86::Reg lanes);
  x86::Reg both(x86::Reg a, x86::Reg b);
  x86::Reg except(x86::Reg lanes, x86::Reg those);
  void jump_if_any(x86::Reg lanes, const Label& to);
  void jump_if_none(x86::Reg lanes, const Label& to);
  x86::Gp bits(x86::Reg lanes);

 private:
  void test(x86::Reg lanes);

  Emitter& e_;
  x86::Compiler& cc_;
  VectorRegisters& v_;
};

}  // namespace covec::simd
