#include "jit/simd/vector/vector_division.hpp"

namespace covec::simd {

using ops::ScalarOp;

namespace {

constexpr int floor_mode = 9, truncate_mode = 11;                // vrndscale, vround
constexpr int less_than = 17, not_less_than = 5, unordered = 3;  // vcmpps
constexpr uint64_t two_to_51 = uint64_t{1} << 51;  // half of the 2^52 integers that an f64's fraction counts
constexpr uint64_t integers_in_fraction = 0x4338000000000000;               // 2^52 + 2^51 as f64: n + this is n's bits
constexpr uint64_t largest_quotient[2] = {0x4b000000, 0x4330000000000000};  // 2^23 as f32, 2^52 as f64

}  // namespace

// --- i32: all quotients are exact as f64 ---

x86::Reg VectorDivision::of_i32(const VectorRequest& r) {
  const x86::Vec a = r.operands[0].as<x86::Vec>(), b = r.operands[1].as<x86::Vec>();
  const unsigned half = v_.bytes(Dtype::i32) / 2;
  x86::Reg q = v_.make(Dtype::i32);
  if (v_.widest() == 8) {
    q = quotients_of_i32(a, b, v_.bytes(Dtype::f64));
  } else if (e_.avx512()) {
    const x86::Vec high = quotients_of_i32(upper_half(a), upper_half(b), 2 * half);
    cc_.emit(Inst::kIdVinserti64x4, q, quotients_of_i32(a.ymm(), b.ymm(), 2 * half).zmm(), high, imm(1));
  } else {
    const x86::Vec high = quotients_of_i32(upper_half(a), upper_half(b), 2 * half);
    cc_.emit(Inst::kIdVinserti128, q, quotients_of_i32(a.xmm(), b.xmm(), 2 * half).ymm(), high, imm(1));
  }
  if (r.op == ScalarOp::floor_modulo) {
    cc_.emit(Inst::kIdVpmulld, q, q, b);
    cc_.emit(Inst::kIdVpsubd, q, a, q);
  }
  return zero_where_zero(q, b, r.to);
}

x86::Vec VectorDivision::upper_half(x86::Vec v) {
  x86::Vec d = v_.vector(v_.bytes(Dtype::i32) / 2);
  cc_.emit(e_.avx512() ? Inst::kIdVextracti64x4 : Inst::kIdVextracti128, d, v, imm(1));
  return d;
}

x86::Vec VectorDivision::quotients_of_i32(x86::Vec a, x86::Vec b, unsigned wide) {
  x86::Vec x = v_.vector(wide), y = v_.vector(wide), q = v_.vector(wide / 2);
  cc_.emit(Inst::kIdVcvtdq2pd, x, a);
  cc_.emit(Inst::kIdVcvtdq2pd, y, b);
  cc_.emit(Inst::kIdVdivpd, x, x, y);
  cc_.emit(e_.avx512() ? Inst::kIdVrndscalepd : Inst::kIdVroundpd, x, x, imm(floor_mode));
  cc_.emit(Inst::kIdVcvttpd2dq, q, x);
  return q;
}

// By 0: 0.
x86::Reg VectorDivision::zero_where_zero(x86::Reg number, x86::Reg divisor, Dtype dtype) {
  const bool wide = dtype == Dtype::i64;
  if (e_.avx512()) {
    x86::KReg divides = cc_.newKw();
    x86::Reg d = v_.make(dtype);
    cc_.emit(wide ? Inst::kIdVptestmq : Inst::kIdVptestmd, divides, divisor, divisor);
    cc_.k(divides).z();
    v_.move(d, number, wide ? Dtype::f64 : Dtype::f32);
    return d;
  }
  const x86::Reg is_zero = v_.emit(wide ? Inst::kIdVpcmpeqq : Inst::kIdVpcmpeqd, dtype, divisor, v_.zero(dtype));
  return v_.emit(Inst::kIdVpandn, dtype, is_zero, number);
}

// --- i64: exact as f64 where both are less than 2^51 ---

x86::Reg VectorDivision::of_i64(const VectorRequest& r) {
  const x86::Reg a = r.operands[0].as<x86::Reg>(), b = r.operands[1].as<x86::Reg>();
  x86::Reg d = v_.make(r.to);
  Label large = cc_.newLabel(), done = cc_.newLabel();
  jump_where_large(a, b, large);
  const x86::Reg x = small_i64_to_f64(a), y = small_i64_to_f64(b);
  const x86::Reg q = v_.emit(Inst::kIdVdivpd, Dtype::f64, x, y);
  cc_.emit(e_.avx512() ? Inst::kIdVrndscalepd : Inst::kIdVroundpd, q, q, imm(floor_mode));
  if (r.op == ScalarOp::floor_modulo) cc_.emit(Inst::kIdVfnmadd213pd, q, y, x);
  v_.move(d, zero_where_zero(small_f64_to_i64(q), b, r.to), Dtype::f64);
  cc_.bind(done);
  e_.out_of_line([&] {
    cc_.bind(large);
    v_.move(d, lanes_.apply(r), Dtype::f64);
    cc_.jmp(done);
  });
  return d;
}

// n + 2^51 has bits from the 52nd on where n is not in [−2^51, 2^51).
void VectorDivision::jump_where_large(x86::Reg a, x86::Reg b, Label large) {
  const x86::Mem shift = v_.splat(two_to_51, Dtype::i64);
  const x86::Reg x = v_.emit(Inst::kIdVpaddq, Dtype::i64, a, shift), y = v_.emit(Inst::kIdVpaddq, Dtype::i64, b, shift);
  cc_.emit(e_.avx512() ? Inst::kIdVporq : Inst::kIdVpor, x, x, y);
  cc_.emit(Inst::kIdVpsrlq, x, x, imm(52));
  if (e_.avx512()) {
    x86::KReg any = cc_.newKw();
    cc_.emit(Inst::kIdVptestmq, any, x, x);
    cc_.emit(Inst::kIdKortestb, any, any);
  } else {
    cc_.emit(Inst::kIdVptest, x, x);
  }
  cc_.jnz(large);
}

x86::Reg VectorDivision::small_i64_to_f64(x86::Reg n) {
  if (e_.avx512()) return v_.emit(Inst::kIdVcvtqq2pd, Dtype::f64, n);
  const x86::Mem shift = v_.splat(integers_in_fraction, Dtype::f64);
  return v_.emit(Inst::kIdVsubpd, Dtype::f64, v_.emit(Inst::kIdVpaddq, Dtype::f64, n, shift), shift);
}

x86::Reg VectorDivision::small_f64_to_i64(x86::Reg x) {
  if (e_.avx512()) return v_.emit(Inst::kIdVcvttpd2qq, Dtype::i64, x);
  const x86::Mem shift = v_.splat(integers_in_fraction, Dtype::f64);
  return v_.emit(Inst::kIdVpsubq, Dtype::i64, v_.emit(Inst::kIdVaddpd, Dtype::f64, x, shift), shift);
}

// --- floats ---

// With x, y ≥ 0 and n the integer part of the rounded x / y, x − n·y is exact, and lies one y too low where the
// quotient was rounded up. The result has the sign of the first operand, also where it is 0.
x86::Reg VectorDivision::remainder(const VectorRequest& r) {
  const bool wide = r.to == Dtype::f64, avx512 = e_.avx512();
  const auto f = [&](InstId narrow_id, InstId wide_id) { return wide ? wide_id : narrow_id; };
  const uint64_t sign = uint64_t{1} << (8 * size_of(r.to) - 1);
  const InstId and_id = avx512 ? f(Inst::kIdVpandd, Inst::kIdVpandq) : Inst::kIdVpand;
  const InstId or_id = avx512 ? f(Inst::kIdVpord, Inst::kIdVporq) : Inst::kIdVpor;
  const x86::Reg x = v_.emit(and_id, r.to, r.operands[0], v_.splat(sign - 1, r.to));
  const x86::Reg y = v_.emit(and_id, r.to, r.operands[1], v_.splat(sign - 1, r.to));
  const x86::Reg quotient = v_.emit(f(Inst::kIdVdivps, Inst::kIdVdivpd), r.to, x, y);
  x86::Reg rest = v_.make(r.to), d = v_.make(r.to);
  cc_.emit(avx512 ? f(Inst::kIdVrndscaleps, Inst::kIdVrndscalepd) : f(Inst::kIdVroundps, Inst::kIdVroundpd), rest,
           quotient, imm(truncate_mode));
  cc_.emit(f(Inst::kIdVfnmadd213ps, Inst::kIdVfnmadd213pd), rest, y, x);
  Label other = cc_.newLabel(), done = cc_.newLabel();
  jump_where_no_remainder(quotient, rest, r.to, other);
  add_where_negative(rest, y, r.to);
  const x86::Reg signs = v_.emit(and_id, r.to, r.operands[0], v_.splat(sign, r.to));
  cc_.emit(or_id, d, rest, signs);
  cc_.bind(done);
  e_.out_of_line([&] {
    cc_.bind(other);
    v_.move(d, lanes_.apply(r), r.to);
    cc_.jmp(done);
  });
  return d;
}

// Where the quotient is too large, or something is no number or infinite.
void VectorDivision::jump_where_no_remainder(x86::Reg quotient, x86::Reg rest, Dtype dtype, Label other) {
  const InstId compare = pick(dtype, Inst::kIdVcmpps, Inst::kIdVcmppd);
  const x86::Mem limit = v_.splat(largest_quotient[dtype == Dtype::f64], dtype);
  const Dtype mask = e_.avx512() ? Dtype::boolean : dtype;
  x86::Reg large = v_.make(mask), nan = v_.make(mask);
  cc_.emit(compare, large, quotient, limit, imm(not_less_than));
  cc_.emit(compare, nan, rest, rest, imm(unordered));
  if (e_.avx512()) {
    cc_.emit(v_.mask_instruction(Inst::kIdKortestb, Inst::kIdKortestw), large, nan);
  } else {
    cc_.emit(Inst::kIdVpor, large, large, nan);
    cc_.emit(Inst::kIdVptest, large, large);
  }
  cc_.jnz(other);
}

void VectorDivision::add_where_negative(x86::Reg number, x86::Reg what, Dtype dtype) {
  const InstId compare = pick(dtype, Inst::kIdVcmpps, Inst::kIdVcmppd);
  const InstId add = pick(dtype, Inst::kIdVaddps, Inst::kIdVaddpd);
  x86::Reg negative = v_.make(e_.avx512() ? Dtype::boolean : dtype);
  cc_.emit(compare, negative, number, v_.zero(dtype), imm(less_than));
  if (e_.avx512()) {
    cc_.k(negative.as<x86::KReg>());
    cc_.emit(add, number, number, what);
  } else {
    cc_.emit(Inst::kIdVpand, negative, negative, what);
    cc_.emit(add, number, number, negative);
  }
}

}  // namespace covec::simd
