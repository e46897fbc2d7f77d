#include "jit/simd/vector/vector_memory.hpp"

namespace covec::simd {

namespace {

// The instruction that widens elements of integers in memory.
InstId widening(Dtype dtype) {
  const bool sign = !is_unsigned(dtype);
  switch (size_of(dtype)) {
    case 1: return sign ? Inst::kIdVpmovsxbd : Inst::kIdVpmovzxbd;
    case 2: return sign ? Inst::kIdVpmovsxwd : Inst::kIdVpmovzxwd;
    default: return Inst::kIdVpmovzxdq;
  }
}

}  // namespace

x86::Reg VectorMemory::load(x86::Mem from, Dtype dtype, const x86::KReg* active) {
  if (dtype == Dtype::boolean) return load_bool(from, active);
  if (is_narrow(dtype)) return load_narrow(from, dtype, active);
  x86::Reg d = v_.make(dtype);
  if (active != nullptr) cc_.k(*active).z();
  v_.move(d, from, dtype);
  return d;
}

x86::Reg VectorMemory::load_bool(x86::Mem from, const x86::KReg* active) {
  x86::Reg d = v_.make(Dtype::boolean);
  from.setSize(static_cast<uint32_t>(v_.lanes()));
  if (!e_.avx512()) {  // 0 − byte
    const x86::Vec zeros = v_.zero(Dtype::boolean);
    cc_.emit(v_.widest() == 8 ? Inst::kIdVpmovzxbq : Inst::kIdVpmovzxbd, d, from);
    cc_.emit(v_.widest() == 8 ? Inst::kIdVpsubq : Inst::kIdVpsubd, d, zeros, d);
    return d;
  }
  x86::Xmm bytes = cc_.newXmm();
  if (active != nullptr) {
    from.setSize(16);
    cc_.k(*active).z().vmovdqu8(bytes, from);
  } else if (v_.lanes() == 16) {
    cc_.vmovdqu8(bytes, from);
  } else {
    cc_.vmovq(bytes, from);
  }
  cc_.vptestmb(d.as<x86::KReg>(), bytes, bytes);
  return d;
}

void VectorMemory::store(x86::Mem to, x86::Reg value, Dtype dtype, const x86::KReg* active) {
  if (dtype == Dtype::boolean) return store_bool(to, value, active);
  if (is_narrow(dtype)) return store_narrow(to, value, dtype, active);
  if (active != nullptr) cc_.k(*active);
  v_.move(to, value, dtype);
}

void VectorMemory::store_bool(x86::Mem to, x86::Reg value, const x86::KReg* active) {
  if (!e_.avx512()) return store_bool_as_bytes(to, value);
  x86::Xmm bytes = cc_.newXmm();
  x86::KReg mask = cc_.newKw();  // a copy: of one that has been spilled, asmjit makes an instruction that there is not
  cc_.kmovw(mask, value.as<x86::KReg>());
  cc_.vpmovm2b(bytes, mask);
  cc_.vpabsb(bytes, bytes);
  if (active != nullptr) {
    cc_.k(*active).vmovdqu8(to, bytes);
  } else if (v_.lanes() == 16) {
    cc_.vmovdqu8(to, bytes);
  } else {
    to.setSize(8);
    cc_.vmovq(to, bytes);
  }
}

void VectorMemory::store_bool_as_bytes(x86::Mem to, x86::Reg value) {
  x86::Xmm high = cc_.newXmm(), bytes = cc_.newXmm();
  const x86::Ymm mask = value.as<x86::Vec>().ymm();
  cc_.vextracti128(high, mask, 1);
  if (v_.widest() == 8) {
    cc_.vshufps(bytes, mask.xmm(), high, 0x88);
    cc_.vpackssdw(bytes, bytes, bytes);
  } else {
    cc_.vpackssdw(bytes, mask.xmm(), high);
  }
  cc_.vpacksswb(bytes, bytes, bytes);
  cc_.vpabsb(bytes, bytes);
  to.setSize(static_cast<uint32_t>(v_.lanes()));
  if (v_.lanes() == 8)
    cc_.vmovq(to, bytes);
  else
    cc_.vmovd(to, bytes);
}

x86::Reg VectorMemory::broadcast(x86::Mem element_at, Dtype dtype) {
  if (dtype == Dtype::boolean) return broadcast_bool(element_at);
  if (is_narrow(dtype)) return spread_narrow(element_at, dtype);
  element_at.setSize(v_.element(dtype));
  return v_.emit(v_.element(dtype) == 8 ? Inst::kIdVpbroadcastq : Inst::kIdVpbroadcastd, dtype, element_at);
}

x86::Reg VectorMemory::broadcast_constant(uint64_t bits, Dtype dtype) {
  if (dtype == Dtype::boolean) return broadcast_bool(e_.constant(bits & 1, 1));
  if (bits == 0) return v_.zero(dtype);
  const InstId id = v_.element(dtype) == 8 ? Inst::kIdVpbroadcastq : Inst::kIdVpbroadcastd;
  return v_.emit(id, dtype, e_.constant(register_bits(dtype, bits), v_.element(dtype)));
}

x86::Reg VectorMemory::broadcast_integer(const x86::Gp& number, Dtype dtype) {
  const bool wide = v_.element(dtype) == 8;
  const InstId id = wide ? Inst::kIdVpbroadcastq : Inst::kIdVpbroadcastd;
  if (e_.avx512()) return v_.emit(id, dtype, wide ? x86::Gp(number.r64()) : x86::Gp(number.r32()));
  x86::Xmm low = cc_.newXmm();
  cc_.vmovq(low, number.r64());
  return v_.emit(id, dtype, low);
}

x86::Reg VectorMemory::broadcast_bool(x86::Mem byte) {
  x86::Reg d = v_.make(Dtype::boolean);
  byte.setSize(1);
  x86::Gp bits = cc_.newInt32();
  cc_.movzx(bits, byte);
  cc_.neg(bits);
  if (e_.avx512()) {
    cc_.and_(bits, (1 << v_.lanes()) - 1);
    cc_.emit(Inst::kIdKmovw, d, bits);
  } else {
    x86::Xmm low = cc_.newXmm();
    cc_.vmovd(low, bits);
    cc_.emit(Inst::kIdVpbroadcastd, d, low);
  }
  return d;
}

x86::Reg VectorMemory::load_narrow(x86::Mem from, Dtype dtype, const x86::KReg* active) {
  from.setSize(static_cast<uint32_t>(size_of(dtype)) * static_cast<uint32_t>(v_.lanes()));
  if (is_half(dtype)) return v_.widened_half(from, dtype, active);
  x86::Reg d = v_.make(dtype);
  if (active != nullptr) cc_.k(*active).z();
  cc_.emit(widening(dtype), d, from);
  return d;
}

x86::Reg VectorMemory::spread_narrow(x86::Mem from, Dtype dtype) {
  if (is_half(dtype)) return spread_half(from, dtype);
  x86::Gp number = cc_.newInt64();
  x86::Xmm lane = cc_.newXmm();
  x86::Reg d = v_.make(dtype);
  from.setSize(static_cast<uint32_t>(size_of(dtype)));
  if (size_of(dtype) == 4) {
    cc_.mov(number.r32(), from);
    cc_.vmovq(lane, number);
    cc_.emit(Inst::kIdVpbroadcastq, d, lane);
    return d;
  }
  is_unsigned(dtype) ? cc_.movzx(number.r32(), from) : cc_.movsx(number.r32(), from);
  cc_.vmovd(lane, number.r32());
  cc_.emit(Inst::kIdVpbroadcastd, d, lane);
  return d;
}

void VectorMemory::store_narrow(x86::Mem to, x86::Reg value, Dtype dtype, const x86::KReg* active) {
  if (is_half(dtype)) return store_half(to, value, dtype, active);
  to.setSize(static_cast<uint32_t>(size_of(dtype)) * static_cast<uint32_t>(v_.lanes()));
  if (!e_.avx512()) return store_lower(to, value.as<x86::Vec>(), dtype);
  if (active != nullptr) cc_.k(*active);
  cc_.emit(size_of(dtype) == 1   ? Inst::kIdVpmovdb
           : size_of(dtype) == 2 ? Inst::kIdVpmovdw
                                 : Inst::kIdVpmovqd,
           to, value);
}

// The lower bytes of each lane, without AVX-512.
void VectorMemory::store_lower(x86::Mem to, x86::Vec value, Dtype dtype) {
  if (size_of(dtype) == 4) {
    cc_.emit(Inst::kIdVmovups, to, v_.narrowed(value));
    return;
  }
  x86::Vec lower = v_.vector(v_.bytes(dtype)), words = v_.vector(16);
  cc_.emit(Inst::kIdVpand, lower, value, v_.splat(size_of(dtype) == 1 ? 0xff : 0xffff, Dtype::i32));
  x86::Vec high = lower.xmm();
  if (v_.lanes() == 8) {
    high = v_.vector(16);
    cc_.emit(Inst::kIdVextracti128, high, lower, imm(1));
  }
  cc_.emit(Inst::kIdVpackusdw, words, lower.xmm(), high);
  if (size_of(dtype) == 2) {
    cc_.emit(v_.lanes() == 8 ? Inst::kIdVmovups : Inst::kIdVmovq, to, words);
    return;
  }
  cc_.emit(Inst::kIdVpackuswb, words, words, words);
  cc_.emit(v_.lanes() == 8 ? Inst::kIdVmovq : Inst::kIdVmovd, to, words);
}

x86::Reg VectorMemory::spread_half(x86::Mem from, Dtype dtype) {
  x86::Vec words = v_.vector(static_cast<unsigned>(2 * v_.lanes()));
  from.setSize(2);
  cc_.emit(Inst::kIdVpbroadcastw, words, from);
  return v_.widened_half(words, dtype, nullptr);
}

// The lanes are f16 or bf16 already, so that f16 need not be rounded and bf16 is what lies above.
void VectorMemory::store_half(x86::Mem to, x86::Reg value, Dtype dtype, const x86::KReg* active) {
  to.setSize(static_cast<uint32_t>(2 * v_.lanes()));
  if (dtype == Dtype::f16) {
    if (active != nullptr) cc_.k(*active);
    cc_.emit(Inst::kIdVcvtps2ph, to, value, imm(0));
    return;
  }
  x86::Vec upper = v_.vector(v_.bytes(dtype));
  cc_.emit(Inst::kIdVpsrld, upper, value, imm(16));
  if (e_.avx512()) {
    if (active != nullptr) cc_.k(*active);
    cc_.emit(Inst::kIdVpmovdw, to, upper);
    return;
  }
  x86::Vec words = v_.vector(16), high = upper;
  if (v_.lanes() == 8) {
    high = v_.vector(16);
    cc_.emit(Inst::kIdVextracti128, high, upper, imm(1));
  }
  cc_.emit(Inst::kIdVpackusdw, words, upper.xmm(), high);
  cc_.emit(v_.lanes() == 8 ? Inst::kIdVmovups : Inst::kIdVmovq, to, words);
}

}  // namespace covec::simd
