#include "jit/simd/machine/scalar_conversions.hpp"

namespace covec::simd {

using loops::instruction::Scalar;

void ScalarConversions::convert(const Scalar& i) {
  const loops::Register a = i.operands[0];
  const Dtype from = r_.dtype(a), to = r_.dtype(i.to);
  if (from == to || is_narrow(from)) return r_.move(i.to, a);
  if (is_half(to)) return round_to_half(i);
  if (is_narrow(to)) return wrap(i);
  if (is_float(from)) {
    if (to == Dtype::boolean) return float_to_bool(i);
    if (!is_float(to)) return float_to_integer(i);
    const x86::Xmm source = r_.xmm(a);
    cc_.emit(to == Dtype::f64 ? Inst::kIdVcvtss2sd : Inst::kIdVcvtsd2ss, r_.target_xmm(i), source, source);
    return;
  }
  if (is_float(to)) return integer_to_float(i);
  const x86::Gp source = r_.gp(a), result = r_.target(i);
  if (to == Dtype::boolean) {
    x86::Gp bit = r_.word().r32();
    cc_.test(source, source);
    cc_.setnz(bit.r8());
    cc_.movzx(result, bit.r8());
  } else if (to == Dtype::i64 && from == Dtype::i32) {
    cc_.movsxd(result, source);
  } else {
    cc_.mov(result.r32(), source.r32());
  }
}

void ScalarConversions::wrap(const Scalar& i) {
  const Dtype to = r_.dtype(i.to);
  const x86::Gp source = r_.gp(i.operands[0]), result = r_.target(i);
  if (size_of(to) == 4) {
    cc_.mov(result.r32(), source.r32());
    return;
  }
  const x86::Gp lower = size_of(to) == 1 ? x86::Gp(source.r8()) : x86::Gp(source.r16());
  is_unsigned(to) ? cc_.movzx(result.r32(), lower) : cc_.movsx(result.r32(), lower);
}

// As VectorRegisters::rounded_half.
void ScalarConversions::round_to_half(const Scalar& i) {
  const x86::Xmm number = r_.xmm(i.operands[0]), result = r_.target_xmm(i);
  if (r_.dtype(i.to) == Dtype::f16) {
    cc_.vcvtps2ph(result, number, imm(0));
    cc_.vcvtph2ps(result, result);
    return;
  }
  x86::Gp bits = r_.word().r32(), odd = r_.word().r32();
  Label nan = cc_.newLabel(), done = cc_.newLabel();
  cc_.vpextrd(bits, number, 0);
  cc_.vucomiss(number, number);
  cc_.jp(nan);
  cc_.mov(odd, bits);
  cc_.shr(odd, 16);
  cc_.and_(odd, 1);
  cc_.add(bits, 0x7fff);
  cc_.add(bits, odd);
  cc_.bind(done);
  cc_.and_(bits, static_cast<int32_t>(0xffff0000));
  cc_.vmovd(result, bits);
  e_.out_of_line([&] {
    cc_.bind(nan);
    cc_.or_(bits, 0x400000);
    cc_.jmp(done);
  });
}

// Not by vmovd: of a register that has been spilled, asmjit makes an instruction that there is not.
void ScalarConversions::cast_bits(const Scalar& i) {
  const bool is_wide = r_.wide(i.to);
  if (r_.is_float_register(i.to))
    cc_.emit(is_wide ? Inst::kIdVmovq : Inst::kIdVmovd, r_.target_xmm(i), r_.gp(i.operands[0]));
  else
    cc_.emit(is_wide ? Inst::kIdVpextrq : Inst::kIdVpextrd, r_.target(i), r_.xmm(i.operands[0]), imm(0));
}

// Cleared first: the instruction keeps the upper half, and would wait for what the register held.
void ScalarConversions::integer_to_float(const Scalar& i) {
  const x86::Gp source = r_.gp(i.operands[0]);
  const x86::Xmm result = r_.target_xmm(i);
  cc_.vxorps(result, result, result);
  cc_.emit(pick(r_.dtype(i.to), Inst::kIdVcvtsi2ss, Inst::kIdVcvtsi2sd), result, result, source);
}

void ScalarConversions::float_to_bool(const Scalar& i) {
  const x86::Xmm source = r_.xmm(i.operands[0]);
  x86::Xmm zero = r_.float_word(), mask = r_.float_word();
  cc_.vxorps(zero, zero, zero);
  cc_.emit(pick(r_.dtype(i.operands[0]), Inst::kIdVcmpss, Inst::kIdVcmpsd), mask, source, zero, imm(4));
  cc_.emit(pick(r_.dtype(i.operands[0]), Inst::kIdVmovmskps, Inst::kIdVmovmskpd), r_.target(i), mask);
  cc_.and_(r_.target(i), 1);
}

// What does not fit 64 bits the hardware makes the smallest integer of 64 bits; that and what does not fit 32 bits is
// put right out of the way.
void ScalarConversions::float_to_integer(const Scalar& i) {
  const x86::Xmm source = r_.xmm(i.operands[0]);
  const Dtype from = r_.dtype(i.operands[0]);
  const bool is_wide = r_.wide(i.to);
  x86::Gp number = r_.word();
  x86::Gp result = r_.target(i);
  Label outside = cc_.newLabel(), done = cc_.newLabel();
  cc_.emit(pick(from, Inst::kIdVcvttss2si, Inst::kIdVcvttsd2si), number, source);
  if (is_wide) {
    cc_.mov(result, number);
    cc_.cmp(number, 1);
    cc_.jo(outside);
  } else {
    x86::Gp again = r_.word();
    cc_.movsxd(again, number.r32());
    cc_.mov(result, number.r32());
    cc_.cmp(again, number);
    cc_.jne(outside);
  }
  cc_.bind(done);
  e_.out_of_line([&] {
    cc_.bind(outside);
    const InstId compare = pick(from, Inst::kIdVucomiss, Inst::kIdVucomisd);
    x86::Xmm zero = r_.float_word();
    Label nan = cc_.newLabel();
    cc_.vxorps(zero, zero, zero);
    cc_.emit(compare, source, zero);
    cc_.jp(nan);
    cc_.mov(result, imm(is_wide ? INT64_MAX : INT32_MAX));
    cc_.ja(done);
    cc_.mov(result, imm(is_wide ? INT64_MIN : INT32_MIN));
    cc_.jmp(done);
    cc_.bind(nan);
    cc_.mov(result, 0);
    cc_.jmp(done);
  });
}

}  // namespace covec::simd
