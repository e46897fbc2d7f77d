// Registers for vectors, and bools in them. A vector holds `lanes` elements whatever its dtype, so narrower elements
// are in narrower registers. Bools are mask registers on AVX-512. On AVX2 they are lanes of zeros or ones as wide as
// the kernel's widest element.
#pragma once

#include "jit/simd/machine/emitter.hpp"

namespace covec::simd {

class VectorRegisters {
 public:
  VectorRegisters(Emitter& emitter, int lanes, int widest)
      : e_(emitter), cc_(emitter.cc), lanes_(lanes), widest_(widest) {}
  int lanes() const { return lanes_; }
  int widest() const { return widest_; }

  x86::Reg make(Dtype dtype);  // a register for a vector
  x86::Vec vector(unsigned bytes);
  x86::Vec zero(Dtype dtype);
  unsigned bytes(Dtype dtype) const { return static_cast<unsigned>(lanes_) * element(dtype); }
  unsigned element(Dtype dtype) const {
    return dtype == Dtype::boolean ? static_cast<unsigned>(widest_) : static_cast<unsigned>(register_size(dtype));
  }
  // The element at an address, or a constant, as an operand that stands for a vector of it.
  x86::Mem spread(x86::Mem element_at, Dtype dtype) const;  // AVX-512
  x86::Mem splat(uint64_t bits, Dtype dtype);
  void move(const Operand_& to, const Operand_& from, Dtype dtype);

  x86::Reg emit(InstId id, Dtype to, const Operand_& a, const Operand_& b);
  x86::Reg emit(InstId id, Dtype to, const Operand_& a);

  // --- f16 and bf16: f32 in registers ---
  x86::Reg wrapped(const Operand_& a, Dtype to);       // integers
  x86::Reg rounded_half(const Operand_& a, Dtype to);  // of f32
  // Of 16 bits each, in memory or a register; `active`: of these lanes only (AVX-512; nullptr: of all).
  x86::Reg widened_half(const Operand_& words, Dtype dtype, const x86::KReg* active);

  // --- bools ---
  InstId mask_instruction(InstId eight, InstId sixteen) const { return lanes_ == 8 ? eight : sixteen; }
  x86::Reg on_bools(ops::ScalarOp op, const Operand_& a, const Operand_& b);
  x86::Reg inverted_bool(const Operand_& a);
  void blend_into(x86::Reg to, x86::Reg condition, x86::Reg other, Dtype dtype);  // to = condition ? other : to
  x86::Vec narrowed(x86::Vec wide);          // AVX2: the low halves of 64-bit lanes
  x86::Reg as_mask(x86::Vec m, Dtype from);  // AVX2: lanes of a dtype to a bool
  x86::Vec mask_for(x86::Reg m, Dtype to);   // AVX2: a bool to lanes of a dtype

 private:
  x86::Vec with_quiet_nans(x86::Vec rounded, x86::Vec number);
  x86::Vec ones();  // AVX2: all bits of a mask

  Emitter& e_;
  x86::Compiler& cc_;
  int lanes_;
  int widest_;
};

}  // namespace covec::simd
