// Loads, stores and broadcasts of vectors. In memory elements are as wide as their dtype; in registers narrow integers
// and halves are what they are computed with, and bools are masks. `active`: of these lanes only (AVX-512; nullptr: of
// all).
#pragma once

#include "jit/simd/vector/vector_registers.hpp"

namespace covec::simd {

class VectorMemory {
 public:
  VectorMemory(Emitter& emitter, VectorRegisters& registers) : e_(emitter), cc_(emitter.cc), v_(registers) {}

  // --- adjacent elements ---
  x86::Reg load(x86::Mem from, Dtype dtype, const x86::KReg* active);
  void store(x86::Mem to, x86::Reg value, Dtype dtype, const x86::KReg* active);
  // --- one, in all lanes ---
  x86::Reg broadcast(x86::Mem element_at, Dtype dtype);
  x86::Reg broadcast_constant(uint64_t bits, Dtype dtype);
  x86::Reg broadcast_integer(const x86::Gp& number, Dtype dtype);  // of AVX2 also 0 or −1 as a bool

 private:
  x86::Reg load_bool(x86::Mem from, const x86::KReg* active);
  void store_bool(x86::Mem to, x86::Reg value, const x86::KReg* active);
  void store_bool_as_bytes(x86::Mem to, x86::Reg value);
  x86::Reg broadcast_bool(x86::Mem byte);
  x86::Reg load_narrow(x86::Mem from, Dtype dtype, const x86::KReg* active);
  void store_narrow(x86::Mem to, x86::Reg value, Dtype dtype, const x86::KReg* active);
  void store_lower(x86::Mem to, x86::Vec value, Dtype dtype);
  x86::Reg spread_narrow(x86::Mem from, Dtype dtype);
  void store_half(x86::Mem to, x86::Reg value, Dtype dtype, const x86::KReg* active);
  x86::Reg spread_half(x86::Mem from, Dtype dtype);

  Emitter& e_;
  x86::Compiler& cc_;
  VectorRegisters& v_;
};

}  // namespace covec::simd
