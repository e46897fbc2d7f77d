#include "jit/simd/vector_registers.hpp"

namespace covec::simd {

using ops::ScalarOp;

// --- registers ---

x86::Vec VectorRegisters::vector(unsigned bytes) {
  using asmjit::TypeId;
  return cc_.newVec(bytes <= 16 ? TypeId::kFloat32x4 : bytes == 32 ? TypeId::kFloat32x8 : TypeId::kFloat32x16);
}

x86::Reg VectorRegisters::make(Dtype dtype) {
  if (dtype == Dtype::boolean && e_.avx512()) return cc_.newKw();
  return vector(bytes(dtype));
}

x86::Mem VectorRegisters::spread(x86::Mem element_at, Dtype dtype) const {
  using Broadcast = x86::Mem::Broadcast;
  const unsigned count = bytes(dtype) / element(dtype);
  element_at.setBroadcast(count == 16 ? Broadcast::k1To16 : count == 8 ? Broadcast::k1To8 : Broadcast::k1To4);
  element_at.setSize(element(dtype));
  return element_at;
}

x86::Mem VectorRegisters::splat(uint64_t bits, Dtype dtype) {
  if (e_.avx512()) return spread(e_.constant(bits, element(dtype)), dtype);
  return e_.constant(bits, element(dtype), static_cast<size_t>(lanes_));
}

x86::Vec VectorRegisters::zero(Dtype dtype) {
  x86::Vec z = vector(bytes(dtype));
  cc_.emit(e_.avx512() ? Inst::kIdVpxord : Inst::kIdVpxor, z, z, z);
  return z;
}

x86::Vec VectorRegisters::ones() {
  x86::Vec v = vector(bytes(Dtype::boolean));
  cc_.emit(Inst::kIdVpcmpeqd, v, v, v);
  return v;
}

void VectorRegisters::move(const Operand_& to, const Operand_& from, Dtype dtype) {
  if (dtype == Dtype::boolean && e_.avx512())
    cc_.emit(Inst::kIdKmovw, to, from);
  else
    cc_.emit(element(dtype) == 8 ? Inst::kIdVmovupd : Inst::kIdVmovups, to, from);
}

x86::Reg VectorRegisters::emit(InstId id, Dtype to, const Operand_& a, const Operand_& b) {
  x86::Reg d = make(to);
  cc_.emit(id, d, a, b);
  return d;
}
x86::Reg VectorRegisters::emit(InstId id, Dtype to, const Operand_& a) {
  x86::Reg d = make(to);
  cc_.emit(id, d, a);
  return d;
}

// --- bools ---

x86::Vec VectorRegisters::narrowed(x86::Vec wide) {
  x86::Vec high = vector(16), d = vector(16);
  cc_.emit(Inst::kIdVextractf128, high, wide, imm(1));
  cc_.emit(Inst::kIdVshufps, d, wide.xmm(), high, imm(0x88));
  return d;
}

x86::Reg VectorRegisters::as_mask(x86::Vec m, Dtype from) {
  if (size_of(from) == static_cast<size_t>(widest_)) return m;
  return emit(Inst::kIdVpmovsxdq, Dtype::boolean, m);
}

x86::Vec VectorRegisters::mask_for(x86::Reg m, Dtype to) {
  return element(to) == static_cast<unsigned>(widest_) ? m.as<x86::Vec>() : narrowed(m.as<x86::Vec>());
}

x86::Reg VectorRegisters::on_bools(ScalarOp op, const Operand_& a, const Operand_& b) {
  const bool avx512 = e_.avx512();
  const InstId id = op == ScalarOp::bit_and  ? (avx512 ? Inst::kIdKandw : Inst::kIdVpand)
                    : op == ScalarOp::bit_or ? (avx512 ? Inst::kIdKorw : Inst::kIdVpor)
                                             : (avx512 ? Inst::kIdKxorw : Inst::kIdVpxor);
  return emit(id, Dtype::boolean, a, b);
}

x86::Reg VectorRegisters::inverted_bool(const Operand_& a) {
  if (e_.avx512()) return emit(mask_instruction(Inst::kIdKnotb, Inst::kIdKnotw), Dtype::boolean, a);
  return emit(Inst::kIdVpxor, Dtype::boolean, a, ones());
}

void VectorRegisters::blend_into(x86::Reg to, x86::Reg condition, x86::Reg other, Dtype dtype) {
  const bool wide = element(dtype) == 8;
  if (!e_.avx512()) {
    const x86::Vec mask = mask_for(condition, dtype);
    cc_.emit(wide ? Inst::kIdVblendvpd : Inst::kIdVblendvps, to, to, other, mask);
  } else if (dtype == Dtype::boolean) {  // to ^ ((to ^ other) & condition)
    x86::Reg t = on_bools(ScalarOp::bit_xor, to, other);
    cc_.emit(Inst::kIdKandw, t, t, condition);
    cc_.emit(Inst::kIdKxorw, to, to, t);
  } else {
    cc_.k(condition.as<x86::KReg>());
    cc_.emit(wide ? Inst::kIdVmovupd : Inst::kIdVmovups, to, other);
  }
}

}  // namespace covec::simd
