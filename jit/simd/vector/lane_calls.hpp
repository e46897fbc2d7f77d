// Emits operations on vectors that call a function for each lane (helpers.hpp).
#pragma once

#include "jit/simd/vector/vector_request.hpp"

namespace covec::simd {

class LaneCalls {
 public:
  LaneCalls(Emitter& emitter, VectorRegisters& registers) : e_(emitter), cc_(emitter.cc), v_(registers) {}
  x86::Reg apply(const VectorRequest& r);

 private:
  Emitter& e_;
  x86::Compiler& cc_;
  VectorRegisters& v_;
  x86::Mem places_[2];  // operands, on the stack
};

}  // namespace covec::simd
