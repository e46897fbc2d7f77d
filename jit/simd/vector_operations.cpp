// Arithmetic, comparisons, selects, bits and shifts. Division is in vector_division.cpp, conversions in
// vector_conversions.cpp.
#include "jit/simd/vector_operations.hpp"

namespace covec::simd {

using ops::ScalarOp;

namespace {

constexpr uint64_t sign_bit(Dtype dtype) { return uint64_t{1} << (8 * size_of(dtype) - 1); }

// Predicates of vcmpps: quiet, and false with a NaN but for ne. Those of vpcmpd have the same low bits.
int float_predicate(ScalarOp op) {
  switch (op) {
    case ScalarOp::lt: return 17;
    case ScalarOp::le: return 18;
    case ScalarOp::eq: return 0;
    default: return 4;
  }
}
int integer_predicate(ScalarOp op) { return float_predicate(op) & 7; }

}  // namespace

// --- registers ---

x86::Vec VectorOperations::vector(unsigned bytes) {
  using asmjit::TypeId;
  return cc_.newVec(bytes <= 16 ? TypeId::kFloat32x4 : bytes == 32 ? TypeId::kFloat32x8 : TypeId::kFloat32x16);
}

x86::Reg VectorOperations::make(Dtype dtype) {
  if (dtype == Dtype::boolean && e_.avx512()) return cc_.newKw();
  return vector(bytes(dtype));
}

x86::Mem VectorOperations::spread(x86::Mem element_at, Dtype dtype) const {
  using Broadcast = x86::Mem::Broadcast;
  const unsigned count = bytes(dtype) / element(dtype);
  element_at.setBroadcast(count == 16 ? Broadcast::k1To16 : count == 8 ? Broadcast::k1To8 : Broadcast::k1To4);
  element_at.setSize(element(dtype));
  return element_at;
}

x86::Mem VectorOperations::splat(uint64_t bits, Dtype dtype) {
  if (e_.avx512()) return spread(e_.constant(bits, element(dtype)), dtype);
  return e_.constant(bits, element(dtype), static_cast<size_t>(lanes_));
}

x86::Vec VectorOperations::zero(Dtype dtype) {
  x86::Vec z = vector(bytes(dtype));
  cc_.emit(e_.avx512() ? Inst::kIdVpxord : Inst::kIdVpxor, z, z, z);
  return z;
}

x86::Vec VectorOperations::ones() {
  x86::Vec v = vector(bytes(Dtype::boolean));
  cc_.emit(Inst::kIdVpcmpeqd, v, v, v);
  return v;
}

void VectorOperations::move(const Operand_& to, const Operand_& from, Dtype dtype) {
  if (dtype == Dtype::boolean && e_.avx512())
    cc_.emit(Inst::kIdKmovw, to, from);
  else
    cc_.emit(element(dtype) == 8 ? Inst::kIdVmovupd : Inst::kIdVmovups, to, from);
}

x86::Reg VectorOperations::emit(InstId id, Dtype to, const Operand_& a, const Operand_& b) {
  x86::Reg d = make(to);
  cc_.emit(id, d, a, b);
  return d;
}
x86::Reg VectorOperations::emit(InstId id, Dtype to, const Operand_& a) {
  x86::Reg d = make(to);
  cc_.emit(id, d, a);
  return d;
}

// --- the operations ---

// Single instructions whose last operand may lie in memory.
bool VectorOperations::may_be_memory(const VectorRequest& r) const {
  if (r.from == Dtype::boolean) return false;
  switch (r.op) {
    case ScalarOp::add:
    case ScalarOp::sub:
    case ScalarOp::div:
    case ScalarOp::bit_and:
    case ScalarOp::bit_or:
    case ScalarOp::bit_xor:
    case ScalarOp::fma: return true;
    case ScalarOp::mul: return e_.avx512() || r.from != Dtype::i64;
    case ScalarOp::lt:
    case ScalarOp::le:
    case ScalarOp::eq:
    case ScalarOp::ne: return e_.avx512() || is_float(r.from);
    default: return false;
  }
}

// k where the divisor is 2^k, as the dtype has it.
std::optional<uint64_t> VectorOperations::power_of_two(const VectorRequest& r) {
  if (!r.constant) return std::nullopt;
  const uint64_t divisor = r.to == Dtype::i32 ? *r.constant & 0xffffffff : *r.constant;
  if (!std::has_single_bit(divisor) || divisor == sign_bit(r.to)) return std::nullopt;
  return static_cast<uint64_t>(std::countr_zero(divisor));
}

bool VectorOperations::knows_constant(const VectorRequest& r) const {
  switch (r.op) {
    case ScalarOp::shift_left:
    case ScalarOp::shift_right:
    case ScalarOp::shift_right_logical: return r.constant.has_value();
    case ScalarOp::floor_divide:
    case ScalarOp::floor_modulo: return power_of_two(r).has_value();
    default: return false;
  }
}

x86::Reg VectorOperations::apply(const VectorRequest& r) {
  const Operand_& a = r.operands[0];
  const Operand_& b = r.operands[1];
  switch (r.op) {
    case ScalarOp::add:
      return emit(pick(r.to, Inst::kIdVaddps, Inst::kIdVaddpd, Inst::kIdVpaddd, Inst::kIdVpaddq), r.to, a, b);
    case ScalarOp::sub:
      return emit(pick(r.to, Inst::kIdVsubps, Inst::kIdVsubpd, Inst::kIdVpsubd, Inst::kIdVpsubq), r.to, a, b);
    case ScalarOp::mul: return multiplied(r);
    case ScalarOp::negate: return negated(r);
    case ScalarOp::div: return emit(pick(r.to, Inst::kIdVdivps, Inst::kIdVdivpd), r.to, a, b);
    case ScalarOp::sqrt: return emit(pick(r.to, Inst::kIdVsqrtps, Inst::kIdVsqrtpd), r.to, a);
    case ScalarOp::fma: return fused(r);
    case ScalarOp::round_even: return rounded(r, 0);
    case ScalarOp::floor: return rounded(r, 1);
    case ScalarOp::ceil: return rounded(r, 2);
    case ScalarOp::trunc: return rounded(r, 3);
    case ScalarOp::lt:
    case ScalarOp::le:
    case ScalarOp::eq:
    case ScalarOp::ne: return compared(r);
    case ScalarOp::select: return selected(r);
    case ScalarOp::bit_and:
    case ScalarOp::bit_or:
    case ScalarOp::bit_xor: return bitwise(r);
    case ScalarOp::bit_not: return inverted(r);
    case ScalarOp::shift_left:
    case ScalarOp::shift_right:
    case ScalarOp::shift_right_logical: return shifted(r);
    case ScalarOp::floor_divide:
    case ScalarOp::floor_modulo: return divided(r);
    case ScalarOp::integer_power: return lane_by_lane(r);
    case ScalarOp::remainder: return remaindered(r);
    case ScalarOp::convert: return converted(r);
    case ScalarOp::bitcast: return a.as<x86::Reg>();
  }
  return make(r.to);
}

// 8: no exceptions.
x86::Reg VectorOperations::rounded(const VectorRequest& r, int mode) {
  x86::Reg d = make(r.to);
  const InstId id = e_.avx512() ? pick(r.to, Inst::kIdVrndscaleps, Inst::kIdVrndscalepd)
                                : pick(r.to, Inst::kIdVroundps, Inst::kIdVroundpd);
  cc_.emit(id, d, r.operands[0], imm(8 | mode));
  return d;
}

x86::Reg VectorOperations::negated(const VectorRequest& r) {
  const bool wide = size_of(r.to) == 8;
  if (!is_float(r.to)) return emit(wide ? Inst::kIdVpsubq : Inst::kIdVpsubd, r.to, zero(r.to), r.operands[0]);
  const InstId id = !e_.avx512() ? Inst::kIdVpxor : wide ? Inst::kIdVpxorq : Inst::kIdVpxord;
  return emit(id, r.to, r.operands[0], splat(sign_bit(r.to), r.to));
}

// i64 on AVX2: low × low + ((low × high + high × low) << 32).
x86::Reg VectorOperations::multiplied(const VectorRequest& r) {
  const Operand_& a = r.operands[0];
  const Operand_& b = r.operands[1];
  if (e_.avx512() || r.to != Dtype::i64)
    return emit(pick(r.to, Inst::kIdVmulps, Inst::kIdVmulpd, Inst::kIdVpmulld, Inst::kIdVpmullq), r.to, a, b);
  x86::Reg swapped = make(r.to), high = make(r.to);
  cc_.emit(Inst::kIdVpshufd, swapped, b, imm(0xb1));
  x86::Reg crossed = emit(Inst::kIdVpmulld, r.to, a, swapped);
  cc_.emit(Inst::kIdVpsrlq, high, crossed, imm(32));
  cc_.emit(Inst::kIdVpaddd, high, high, crossed);
  cc_.emit(Inst::kIdVpsllq, high, high, imm(32));
  x86::Reg low = emit(Inst::kIdVpmuludq, r.to, a, b);
  cc_.emit(Inst::kIdVpaddq, low, low, high);
  return low;
}

// The result takes the register of an operand: of one that is not needed any more if there is one.
x86::Reg VectorOperations::fused(const VectorRequest& r) {
  const InstId multiply_first = pick(r.to, Inst::kIdVfmadd213ps, Inst::kIdVfmadd213pd);
  const Operand_ &a = r.operands[0], &b = r.operands[1], &c = r.operands[2];
  if (r.dies[0] || r.dies[1]) {
    x86::Reg d = (r.dies[0] ? a : b).as<x86::Reg>();
    cc_.emit(multiply_first, d, r.dies[0] ? b : a, c);
    return d;
  }
  if (r.dies[2] && c.isReg()) {
    cc_.emit(pick(r.to, Inst::kIdVfmadd231ps, Inst::kIdVfmadd231pd), c, a, b);
    return c.as<x86::Reg>();
  }
  x86::Reg d = make(r.to);
  if (!c.isReg()) {
    move(d, a, r.to);
    cc_.emit(multiply_first, d, b, c);
  } else {
    move(d, c, r.to);
    cc_.emit(pick(r.to, Inst::kIdVfmadd231ps, Inst::kIdVfmadd231pd), d, a, b);
  }
  return d;
}

// --- comparisons and selects ---

x86::Reg VectorOperations::compared(const VectorRequest& r) {
  if (r.from == Dtype::boolean) return compared_bools(r);
  if (!is_float(r.from)) return compared_integers(r);
  x86::Reg d = make(e_.avx512() ? Dtype::boolean : r.from);
  cc_.emit(pick(r.from, Inst::kIdVcmpps, Inst::kIdVcmppd), d, r.operands[0], r.operands[1], imm(float_predicate(r.op)));
  return e_.avx512() ? d : as_mask(d.as<x86::Vec>(), r.from);
}

x86::Reg VectorOperations::compared_integers(const VectorRequest& r) {
  const Operand_& a = r.operands[0];
  const Operand_& b = r.operands[1];
  const bool wide = r.from == Dtype::i64;
  if (e_.avx512()) {
    x86::Reg d = make(Dtype::boolean);
    cc_.emit(wide ? Inst::kIdVpcmpq : Inst::kIdVpcmpd, d, a, b, imm(integer_predicate(r.op)));
    return d;
  }
  const bool equality = r.op == ScalarOp::eq || r.op == ScalarOp::ne;
  const InstId id =
      equality ? (wide ? Inst::kIdVpcmpeqq : Inst::kIdVpcmpeqd) : (wide ? Inst::kIdVpcmpgtq : Inst::kIdVpcmpgtd);
  x86::Reg d = r.op == ScalarOp::lt ? emit(id, r.from, b, a) : emit(id, r.from, a, b);
  x86::Reg mask = as_mask(d.as<x86::Vec>(), r.from);
  return r.op == ScalarOp::ne || r.op == ScalarOp::le ? inverted_bool(mask) : mask;
}

// As numbers 0 and 1.
x86::Reg VectorOperations::compared_bools(const VectorRequest& r) {
  const Operand_& a = r.operands[0];
  const Operand_& b = r.operands[1];
  switch (r.op) {
    case ScalarOp::lt: return on_bools(ScalarOp::bit_and, inverted_bool(a), b);
    case ScalarOp::le: return on_bools(ScalarOp::bit_or, inverted_bool(a), b);
    case ScalarOp::eq: return inverted_bool(on_bools(ScalarOp::bit_xor, a, b));
    default: return on_bools(ScalarOp::bit_xor, a, b);
  }
}

// On AVX-512 as a move of some lanes into the other value: vblendmps would be taken to read what it overwrites.
x86::Reg VectorOperations::selected(const VectorRequest& r) {
  const x86::Reg condition = r.operands[0].as<x86::Reg>(), a = r.operands[1].as<x86::Reg>();
  const Operand_& b = r.operands[2];
  if (!e_.avx512()) {
    x86::Reg d = make(r.to);
    cc_.emit(element(r.to) == 8 ? Inst::kIdVblendvpd : Inst::kIdVblendvps, d, b, a, mask_for(condition, r.to));
    return d;
  }
  x86::Reg d = b.as<x86::Reg>();
  if (!r.dies[2] || b == a || b == condition) {
    d = make(r.to);
    move(d, b, r.to);
  }
  blend_into(d, condition, a, r.to);
  return d;
}

void VectorOperations::blend_into(x86::Reg to, x86::Reg condition, x86::Reg other, Dtype dtype) {
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

// --- bits ---

x86::Reg VectorOperations::on_bools(ScalarOp op, const Operand_& a, const Operand_& b) {
  const bool avx512 = e_.avx512();
  const InstId id = op == ScalarOp::bit_and  ? (avx512 ? Inst::kIdKandw : Inst::kIdVpand)
                    : op == ScalarOp::bit_or ? (avx512 ? Inst::kIdKorw : Inst::kIdVpor)
                                             : (avx512 ? Inst::kIdKxorw : Inst::kIdVpxor);
  return emit(id, Dtype::boolean, a, b);
}

x86::Reg VectorOperations::bitwise(const VectorRequest& r) {
  if (r.to == Dtype::boolean) return on_bools(r.op, r.operands[0], r.operands[1]);
  const bool wide = size_of(r.to) == 8, avx512 = e_.avx512();
  const InstId id = r.op == ScalarOp::bit_and  ? (!avx512 ? Inst::kIdVpand
                                                  : wide  ? Inst::kIdVpandq
                                                          : Inst::kIdVpandd)
                    : r.op == ScalarOp::bit_or ? (!avx512 ? Inst::kIdVpor
                                                  : wide  ? Inst::kIdVporq
                                                          : Inst::kIdVpord)
                                               : (!avx512 ? Inst::kIdVpxor
                                                  : wide  ? Inst::kIdVpxorq
                                                          : Inst::kIdVpxord);
  return emit(id, r.to, r.operands[0], r.operands[1]);
}

x86::Reg VectorOperations::inverted_bool(const Operand_& a) {
  if (e_.avx512()) return emit(mask_instruction(Inst::kIdKnotb, Inst::kIdKnotw), Dtype::boolean, a);
  return emit(Inst::kIdVpxor, Dtype::boolean, a, ones());
}

x86::Reg VectorOperations::inverted(const VectorRequest& r) {
  if (r.to == Dtype::boolean) return inverted_bool(r.operands[0]);
  const InstId id = !e_.avx512() ? Inst::kIdVpxor : size_of(r.to) == 8 ? Inst::kIdVpxorq : Inst::kIdVpxord;
  return emit(id, r.to, r.operands[0], splat(~uint64_t{0}, r.to));
}

// --- shifts ---

x86::Reg VectorOperations::shifted_by(InstId id, const VectorRequest& r, unsigned amount) {
  return emit(id, r.to, r.operands[0], imm(amount));
}

x86::Reg VectorOperations::shifted(const VectorRequest& r) {
  const bool wide = r.to == Dtype::i64, left = r.op == ScalarOp::shift_left;
  if (r.op == ScalarOp::shift_right) return shifted_arithmetic(r);
  if (r.constant) {
    const InstId id = left ? (wide ? Inst::kIdVpsllq : Inst::kIdVpslld) : (wide ? Inst::kIdVpsrlq : Inst::kIdVpsrld);
    return shifted_by(id, r, *r.constant & (wide ? 63 : 31));
  }
  const InstId id = left ? (wide ? Inst::kIdVpsllvq : Inst::kIdVpsllvd) : (wide ? Inst::kIdVpsrlvq : Inst::kIdVpsrlvd);
  return emit(id, r.to, r.operands[0], r.operands[1]);
}

// AVX2 has none for i64: with s all ones where a < 0, ((a ^ s) >> n) ^ s.
x86::Reg VectorOperations::shifted_arithmetic(const VectorRequest& r) {
  const bool wide = r.to == Dtype::i64;
  const unsigned amount = static_cast<unsigned>(r.constant.value_or(0)) & (wide ? 63 : 31);
  if (e_.avx512() || !wide) {
    if (r.constant) return shifted_by(wide ? Inst::kIdVpsraq : Inst::kIdVpsrad, r, amount);
    return emit(wide ? Inst::kIdVpsravq : Inst::kIdVpsravd, r.to, r.operands[0], r.operands[1]);
  }
  const x86::Reg sign = emit(Inst::kIdVpcmpgtq, r.to, zero(r.to), r.operands[0]);
  if (r.constant && amount == 63) return sign;
  x86::Reg d = emit(Inst::kIdVpxor, r.to, r.operands[0], sign);
  if (r.constant)
    cc_.emit(Inst::kIdVpsrlq, d, d, imm(amount));
  else
    cc_.emit(Inst::kIdVpsrlvq, d, d, r.operands[1]);
  cc_.emit(Inst::kIdVpxor, d, d, sign);
  return d;
}

}  // namespace covec::simd
