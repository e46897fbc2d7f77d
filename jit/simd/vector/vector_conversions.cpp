#include "jit/simd/vector/vector_conversions.hpp"

namespace covec::simd {

using ops::ScalarOp;

namespace {

constexpr int ordered = 7, at_least = 29;  // vcmpps predicates: neither is a NaN; ≥, quiet

uint64_t one_of(Dtype dtype) { return dtype == Dtype::f64 ? 0x3ff0000000000000 : dtype == Dtype::f32 ? 0x3f800000 : 1; }

// The smallest number above an integer dtype, as bits of a float one.
uint64_t limit_of(Dtype integer, Dtype floating) {
  if (floating == Dtype::f32) return integer == Dtype::i32 ? 0x4f000000 : 0x5f000000;
  return integer == Dtype::i32 ? 0x41e0000000000000 : 0x43e0000000000000;
}

}  // namespace

x86::Reg VectorConversions::apply(const VectorRequest& r) {
  if (r.from == r.to || is_narrow(r.from)) return r.operands[0].as<x86::Reg>();
  if (is_half(r.to)) return v_.rounded_half(r.operands[0], r.to);
  if (is_narrow(r.to)) return v_.wrapped(r.operands[0], r.to);
  if (r.from == Dtype::boolean) return from_bool(r);
  if (r.to == Dtype::boolean) return to_bool(r);
  if (is_float(r.from) && !is_float(r.to)) return saturated(r);
  if (is_float(r.to) && !is_float(r.from)) return between_floats_and_integers(r);
  return widened(r);
}

// --- bools ---

x86::Reg VectorConversions::from_bool(const VectorRequest& r) {
  const uint64_t one = one_of(r.to);
  if (!e_.avx512())
    return v_.emit(Inst::kIdVpand, r.to, v_.mask_for(r.operands[0].as<x86::Reg>(), r.to), v_.splat(one, r.to));
  x86::Reg d = v_.make(r.to);
  cc_.k(r.operands[0].as<x86::KReg>()).z();
  cc_.emit(size_of(r.to) == 8 ? Inst::kIdVpbroadcastq : Inst::kIdVpbroadcastd, d, e_.constant(one, size_of(r.to)));
  return d;
}

x86::Reg VectorConversions::to_bool(const VectorRequest& r) {
  VectorRequest compare = r;
  compare.op = ScalarOp::ne;
  compare.operands[1] = v_.zero(r.from);
  return comparisons_.apply(compare);
}

// --- numbers of one kind ---

x86::Reg VectorConversions::widened(const VectorRequest& r) {
  const Operand_& a = r.operands[0];
  switch (r.to) {
    case Dtype::f64: return v_.emit(Inst::kIdVcvtps2pd, r.to, a);
    case Dtype::f32: return v_.emit(Inst::kIdVcvtpd2ps, r.to, a);
    case Dtype::i64: return v_.emit(Inst::kIdVpmovsxdq, r.to, a);
    default: return e_.avx512() ? v_.emit(Inst::kIdVpmovqd, r.to, a) : x86::Reg(v_.narrowed(a.as<x86::Vec>()));
  }
}

// --- integers to floats ---

x86::Reg VectorConversions::between_floats_and_integers(const VectorRequest& r) {
  const Operand_& a = r.operands[0];
  if (r.from == Dtype::i32) return v_.emit(pick(r.to, Inst::kIdVcvtdq2ps, Inst::kIdVcvtdq2pd), r.to, a);
  if (e_.avx512()) return v_.emit(pick(r.to, Inst::kIdVcvtqq2ps, Inst::kIdVcvtqq2pd), r.to, a);
  return r.to == Dtype::f64 ? i64_to_f64(a.as<x86::Vec>()) : i64_to_f32(a.as<x86::Vec>());
}

// With the low half in the fraction of 2^52 and the high half in that of 2^84 (made positive by 2^63), both are exact;
// only the last addition rounds.
x86::Reg VectorConversions::i64_to_f64(x86::Vec a) {
  x86::Reg low = v_.make(Dtype::f64), high = v_.make(Dtype::f64);
  cc_.emit(Inst::kIdVmovups, low, v_.splat(0x4330000000000000, Dtype::f64));
  cc_.emit(Inst::kIdVpblendd, low, low, a, imm(0x55));
  cc_.emit(Inst::kIdVpsrlq, high, a, imm(32));
  cc_.emit(Inst::kIdVpxor, high, high, v_.splat(0x4530000080000000, Dtype::f64));
  cc_.emit(Inst::kIdVsubpd, high, high, v_.splat(0x4530000080100000, Dtype::f64));
  cc_.emit(Inst::kIdVaddpd, low, low, high);
  return low;
}

// Through f64 it would be rounded twice: lane by lane.
x86::Reg VectorConversions::i64_to_f32(x86::Vec a) {
  x86::Mem from = cc_.newStack(32, 32), to = cc_.newStack(16, 16);
  cc_.vmovups(from, a.ymm());
  for (int k = 0; k < v_.lanes(); ++k) {
    x86::Xmm lane = cc_.newXmmSs();
    x86::Mem source = from.cloneAdjusted(8 * k);
    source.setSize(8);
    cc_.vxorps(lane, lane, lane);
    cc_.vcvtsi2ss(lane, lane, source);
    cc_.vmovss(to.cloneAdjusted(4 * k), lane);
  }
  x86::Reg d = v_.make(Dtype::f32);
  cc_.emit(Inst::kIdVmovups, d, to);
  return d;
}

// --- floats to integers ---

// f64 to i32 is clamped before, the others are put right after: the smallest integer, inverted, is the largest.
x86::Reg VectorConversions::saturated(const VectorRequest& r) {
  if (r.from == Dtype::f64 && r.to == Dtype::i32) return saturated_by_clamp(r);
  const Operand_& a = r.operands[0];
  const x86::Mem limit = v_.splat(limit_of(r.to, r.from), r.from);
  const InstId compare = pick(r.from, Inst::kIdVcmpps, Inst::kIdVcmppd);
  if (e_.avx512()) {
    x86::KReg numbers = cc_.newKw(), above = cc_.newKw();
    x86::Reg d = v_.make(r.to);
    cc_.emit(compare, numbers, a, a, imm(ordered));
    cc_.emit(compare, above, a, limit, imm(at_least));
    cc_.k(numbers).z();
    cc_.emit(r.to == Dtype::i32 ? Inst::kIdVcvttps2dq : pick(r.from, Inst::kIdVcvttps2qq, Inst::kIdVcvttpd2qq), d, a);
    const uint64_t largest = r.to == Dtype::i32 ? 0x7fffffff : 0x7fffffffffffffff;
    cc_.k(above);
    cc_.emit(r.to == Dtype::i32 ? Inst::kIdVpbroadcastd : Inst::kIdVpbroadcastq, d,
             e_.constant(largest, size_of(r.to)));
    return d;
  }
  if (r.from == Dtype::f32 && r.to == Dtype::i64) {
    VectorRequest wide = r;
    wide.from = Dtype::f64;
    wide.operands[0] = v_.emit(Inst::kIdVcvtps2pd, Dtype::f64, a);
    return saturated(wide);
  }
  x86::Reg numbers = v_.make(r.from), above = v_.make(r.from);
  cc_.emit(compare, numbers, a, a, imm(ordered));
  cc_.emit(compare, above, a, limit, imm(at_least));
  cc_.emit(Inst::kIdVpand, numbers, numbers, a);
  const x86::Reg d =
      r.to == Dtype::i32 ? v_.emit(Inst::kIdVcvttps2dq, r.to, numbers) : f64_to_i64_lanes(numbers.as<x86::Vec>());
  return v_.emit(Inst::kIdVpxor, r.to, d, above);
}

x86::Reg VectorConversions::saturated_by_clamp(const VectorRequest& r) {
  const Operand_& a = r.operands[0];
  const x86::Mem largest = v_.splat(0x41dfffffffc00000, r.from);
  x86::Reg clamped = v_.make(r.from);
  if (e_.avx512()) {
    x86::KReg numbers = cc_.newKw();
    cc_.emit(Inst::kIdVcmppd, numbers, a, a, imm(ordered));
    cc_.k(numbers).z();
    cc_.emit(Inst::kIdVminpd, clamped, a, largest);
  } else {
    cc_.emit(Inst::kIdVcmppd, clamped, a, a, imm(ordered));
    cc_.emit(Inst::kIdVpand, clamped, clamped, a);
    cc_.emit(Inst::kIdVminpd, clamped, clamped, largest);
  }
  return v_.emit(Inst::kIdVcvttpd2dq, r.to, clamped);
}

x86::Reg VectorConversions::f64_to_i64_lanes(x86::Vec a) {
  x86::Mem place = cc_.newStack(32, 32);
  cc_.vmovups(place, a.ymm());
  for (int k = 0; k < v_.lanes(); ++k) {
    x86::Gp lane = cc_.newInt64();
    x86::Mem at = place.cloneAdjusted(8 * k);
    at.setSize(8);
    cc_.vcvttsd2si(lane, at);
    cc_.mov(at, lane);
  }
  x86::Reg d = v_.make(Dtype::i64);
  place.setSize(32);
  cc_.emit(Inst::kIdVmovups, d, place);
  return d;
}

}  // namespace covec::simd
