#include "jit/simd/vector/vector_registers.hpp"

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

// --- f16 and bf16 ---

// Of 16 bits each, in memory or a register.
x86::Reg VectorRegisters::widened_half(const Operand_& words, Dtype dtype, const x86::KReg* active) {
  x86::Reg d = make(dtype);
  if (active != nullptr) cc_.k(*active).z();
  cc_.emit(dtype == Dtype::f16 ? Inst::kIdVcvtph2ps : Inst::kIdVpmovzxwd, d, words);
  if (dtype == Dtype::bf16) cc_.emit(Inst::kIdVpslld, d, d, imm(16));
  return d;
}

x86::Reg VectorRegisters::wrapped(const Operand_& a, Dtype to) {
  const unsigned width = 8 * element(to), bits = 8 * static_cast<unsigned>(size_of(to));
  const bool is_wide = width == 64;
  x86::Reg d = make(to);
  cc_.emit(is_wide ? Inst::kIdVpsllq : Inst::kIdVpslld, d, a, imm(width - bits));
  const InstId back = is_wide ? Inst::kIdVpsrlq : is_unsigned(to) ? Inst::kIdVpsrld : Inst::kIdVpsrad;
  cc_.emit(back, d, d, imm(width - bits));
  return d;
}

x86::Reg VectorRegisters::rounded_half(const Operand_& a, Dtype to) {
  if (to == Dtype::f16) {
    x86::Vec words = vector(static_cast<unsigned>(2 * lanes_));
    cc_.emit(Inst::kIdVcvtps2ph, words, a, imm(0));
    return widened_half(words, to, nullptr);
  }
  x86::Vec d = vector(bytes(to)), number = a.as<x86::Vec>();
  const bool avx512 = e_.avx512();
  cc_.emit(Inst::kIdVpsrld, d, number, imm(16));
  cc_.emit(avx512 ? Inst::kIdVpandd : Inst::kIdVpand, d, d, splat(1, Dtype::i32));
  cc_.emit(Inst::kIdVpaddd, d, d, splat(0x7fff, Dtype::i32));
  cc_.emit(Inst::kIdVpaddd, d, d, number);
  d = with_quiet_nans(d, number);
  cc_.emit(avx512 ? Inst::kIdVpandd : Inst::kIdVpand, d, d, splat(0xffff0000, Dtype::i32));
  return d;
}

// Where `number` is a NaN: itself, made quiet.
x86::Vec VectorRegisters::with_quiet_nans(x86::Vec rounded, x86::Vec number) {
  constexpr int unordered = 3;  // _CMP_UNORD_Q, a comparison of vcmpps (Intel's manual)
  if (e_.avx512()) {
    x86::KReg nan = cc_.newKw();
    cc_.emit(Inst::kIdVcmpps, nan, number, number, imm(unordered));
    cc_.k(nan);
    cc_.emit(Inst::kIdVpord, rounded, number, splat(0x400000, Dtype::i32));
    return rounded;
  }
  x86::Vec nan = vector(bytes(Dtype::f32)), quiet = vector(bytes(Dtype::f32)), d = vector(bytes(Dtype::f32));
  cc_.emit(Inst::kIdVcmpps, nan, number, number, imm(unordered));
  cc_.emit(Inst::kIdVpor, quiet, number, splat(0x400000, Dtype::i32));
  cc_.emit(Inst::kIdVblendvps, d, rounded, quiet, nan);
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
  if (element(from) == static_cast<unsigned>(widest_)) return m;
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
