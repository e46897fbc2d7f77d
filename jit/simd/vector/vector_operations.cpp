#include "jit/simd/vector/vector_operations.hpp"

namespace covec::simd {

using ops::ScalarOp;

namespace {

constexpr uint64_t sign_bit(Dtype dtype) { return uint64_t{1} << (8 * size_of(dtype) - 1); }

}  // namespace

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
    case ScalarOp::mul: return e_.avx512() || r.from != Dtype::i64 || r.halves;
    case ScalarOp::lt:
    case ScalarOp::le:
    case ScalarOp::eq:
    case ScalarOp::ne: return e_.avx512() || is_float(r.from);
    case ScalarOp::select: return keeps_or_clears(r);
    default: return false;
  }
}

// A select between 0 and another value without AVX-512: an `and`, where a blend takes several cycles.
bool VectorOperations::keeps_or_clears(const VectorRequest& r) const {
  return r.selects_zero && !e_.avx512() && r.to != Dtype::boolean;
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
      return v_.emit(pick(r.to, Inst::kIdVaddps, Inst::kIdVaddpd, Inst::kIdVpaddd, Inst::kIdVpaddq), r.to, a, b);
    case ScalarOp::sub:
      return v_.emit(pick(r.to, Inst::kIdVsubps, Inst::kIdVsubpd, Inst::kIdVpsubd, Inst::kIdVpsubq), r.to, a, b);
    case ScalarOp::mul: return multiplied(r);
    case ScalarOp::negate: return negated(r);
    case ScalarOp::div: return v_.emit(pick(r.to, Inst::kIdVdivps, Inst::kIdVdivpd), r.to, a, b);
    case ScalarOp::sqrt: return v_.emit(pick(r.to, Inst::kIdVsqrtps, Inst::kIdVsqrtpd), r.to, a);
    case ScalarOp::fma: return fused(r);
    case ScalarOp::round_even: return rounded(r, 0);
    case ScalarOp::floor: return rounded(r, 1);
    case ScalarOp::ceil: return rounded(r, 2);
    case ScalarOp::trunc: return rounded(r, 3);
    case ScalarOp::lt:
    case ScalarOp::le:
    case ScalarOp::eq:
    case ScalarOp::ne: return comparisons_.apply(r);
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
    case ScalarOp::integer_power:
    case ScalarOp::common_divisor: return lanes_.apply(r);
    case ScalarOp::remainder: return division_.remainder(r);
    case ScalarOp::convert: return conversions_.apply(r);
    case ScalarOp::bitcast: return a.as<x86::Reg>();
  }
  return v_.make(r.to);
}

// By a power of two: bits.
x86::Reg VectorOperations::divided(const VectorRequest& r) {
  const std::optional<uint64_t> power = power_of_two(r);
  if (!power) return r.to == Dtype::i32 ? division_.of_i32(r) : division_.of_i64(r);
  VectorRequest bits = r;
  if (r.op == ScalarOp::floor_divide) {
    bits.op = ScalarOp::shift_right;
    bits.constant = power;
  } else {
    bits.op = ScalarOp::bit_and;
    bits.operands[1] = v_.splat((uint64_t{1} << *power) - 1, r.to);
  }
  return apply(bits);
}

// 8: no exceptions.
x86::Reg VectorOperations::rounded(const VectorRequest& r, int mode) {
  x86::Reg d = v_.make(r.to);
  const InstId id = e_.avx512() ? pick(r.to, Inst::kIdVrndscaleps, Inst::kIdVrndscalepd)
                                : pick(r.to, Inst::kIdVroundps, Inst::kIdVroundpd);
  cc_.emit(id, d, r.operands[0], imm(8 | mode));
  return d;
}

x86::Reg VectorOperations::negated(const VectorRequest& r) {
  const bool wide = size_of(r.to) == 8;
  if (!is_float(r.to)) return v_.emit(wide ? Inst::kIdVpsubq : Inst::kIdVpsubd, r.to, v_.zero(r.to), r.operands[0]);
  const InstId id = !e_.avx512() ? Inst::kIdVpxor : wide ? Inst::kIdVpxorq : Inst::kIdVpxord;
  return v_.emit(id, r.to, r.operands[0], v_.splat(sign_bit(r.to), r.to));
}

// i64 on AVX2: low × low + ((low × high + high × low) << 32).
x86::Reg VectorOperations::multiplied(const VectorRequest& r) {
  const Operand_& a = r.operands[0];
  const Operand_& b = r.operands[1];
  if (r.halves) return v_.emit(Inst::kIdVpmuludq, r.to, a, b);
  if (e_.avx512() || r.to != Dtype::i64)
    return v_.emit(pick(r.to, Inst::kIdVmulps, Inst::kIdVmulpd, Inst::kIdVpmulld, Inst::kIdVpmullq), r.to, a, b);
  x86::Reg swapped = v_.make(r.to), high = v_.make(r.to);
  cc_.emit(Inst::kIdVpshufd, swapped, b, imm(0xb1));
  x86::Reg crossed = v_.emit(Inst::kIdVpmulld, r.to, a, swapped);
  cc_.emit(Inst::kIdVpsrlq, high, crossed, imm(32));
  cc_.emit(Inst::kIdVpaddd, high, high, crossed);
  cc_.emit(Inst::kIdVpsllq, high, high, imm(32));
  x86::Reg low = v_.emit(Inst::kIdVpmuludq, r.to, a, b);
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
  x86::Reg d = v_.make(r.to);
  if (!c.isReg()) {
    v_.move(d, a, r.to);
    cc_.emit(multiply_first, d, b, c);
  } else {
    v_.move(d, c, r.to);
    cc_.emit(pick(r.to, Inst::kIdVfmadd231ps, Inst::kIdVfmadd231pd), d, a, b);
  }
  return d;
}

// --- selects ---

// On AVX-512 as a move of some lanes into the other value: vblendmps would be taken to read what it overwrites.
x86::Reg VectorOperations::selected(const VectorRequest& r) {
  const x86::Reg condition = r.operands[0].as<x86::Reg>();
  const Operand_& b = r.operands[2];
  if (keeps_or_clears(r)) return v_.emit(Inst::kIdVandnps, r.to, v_.mask_for(condition, r.to), b);
  const x86::Reg a = r.operands[1].as<x86::Reg>();
  if (!e_.avx512()) {
    x86::Reg d = v_.make(r.to);
    cc_.emit(v_.element(r.to) == 8 ? Inst::kIdVblendvpd : Inst::kIdVblendvps, d, b, a, v_.mask_for(condition, r.to));
    return d;
  }
  x86::Reg d = b.as<x86::Reg>();
  if (!r.dies[2] || b == a || b == condition) {
    d = v_.make(r.to);
    v_.move(d, b, r.to);
  }
  v_.blend_into(d, condition, a, r.to);
  return d;
}

// --- bits ---

x86::Reg VectorOperations::bitwise(const VectorRequest& r) {
  if (r.to == Dtype::boolean) return v_.on_bools(r.op, r.operands[0], r.operands[1]);
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
  return v_.emit(id, r.to, r.operands[0], r.operands[1]);
}

x86::Reg VectorOperations::inverted(const VectorRequest& r) {
  if (r.to == Dtype::boolean) return v_.inverted_bool(r.operands[0]);
  const InstId id = !e_.avx512() ? Inst::kIdVpxor : size_of(r.to) == 8 ? Inst::kIdVpxorq : Inst::kIdVpxord;
  return v_.emit(id, r.to, r.operands[0], v_.splat(~uint64_t{0}, r.to));
}

// --- shifts ---

x86::Reg VectorOperations::shifted_by(InstId id, const VectorRequest& r, unsigned amount) {
  return v_.emit(id, r.to, r.operands[0], imm(amount));
}

x86::Reg VectorOperations::shifted(const VectorRequest& r) {
  const bool wide = r.to == Dtype::i64, left = r.op == ScalarOp::shift_left;
  if (r.op == ScalarOp::shift_right) return shifted_arithmetic(r);
  if (r.constant) {
    const InstId id = left ? (wide ? Inst::kIdVpsllq : Inst::kIdVpslld) : (wide ? Inst::kIdVpsrlq : Inst::kIdVpsrld);
    return shifted_by(id, r, *r.constant & (wide ? 63 : 31));
  }
  const InstId id = left ? (wide ? Inst::kIdVpsllvq : Inst::kIdVpsllvd) : (wide ? Inst::kIdVpsrlvq : Inst::kIdVpsrlvd);
  return v_.emit(id, r.to, r.operands[0], r.operands[1]);
}

// AVX2 has none for i64: with s all ones where a < 0, ((a ^ s) >> n) ^ s.
x86::Reg VectorOperations::shifted_arithmetic(const VectorRequest& r) {
  const bool wide = r.to == Dtype::i64;
  const unsigned amount = static_cast<unsigned>(r.constant.value_or(0)) & (wide ? 63 : 31);
  if (e_.avx512() || !wide) {
    if (r.constant) return shifted_by(wide ? Inst::kIdVpsraq : Inst::kIdVpsrad, r, amount);
    return v_.emit(wide ? Inst::kIdVpsravq : Inst::kIdVpsravd, r.to, r.operands[0], r.operands[1]);
  }
  const x86::Reg sign = v_.emit(Inst::kIdVpcmpgtq, r.to, v_.zero(r.to), r.operands[0]);
  if (r.constant && amount == 63) return sign;
  x86::Reg d = v_.emit(Inst::kIdVpxor, r.to, r.operands[0], sign);
  if (r.constant)
    cc_.emit(Inst::kIdVpsrlq, d, d, imm(amount));
  else
    cc_.emit(Inst::kIdVpsrlvq, d, d, r.operands[1]);
  cc_.emit(Inst::kIdVpxor, d, d, sign);
  return d;
}

}  // namespace covec::simd
