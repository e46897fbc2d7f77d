#include "jit/simd/machine/scalar_division.hpp"

namespace covec::simd {

using loops::instruction::Scalar;
using ops::ScalarOp;

void ScalarDivision::apply(const Scalar& i) {
  if (!r_.is_constant(i.operands[1]) || !by_constant(i)) by_any(i);
}

bool ScalarDivision::by_constant(const Scalar& i) {
  const int64_t divisor = r_.integer_constant(i.operands[1]);
  const bool quotient = i.op == ScalarOp::floor_divide;
  if (divisor == 0 || (divisor == -1 && !quotient)) {
    cc_.mov(r_.target(i), 0);
  } else if (divisor == -1) {
    r_.move(i.to, i.operands[0]);
    cc_.neg(r_.target(i));
  } else if (divisor < 0) {
    return false;
  } else if (std::has_single_bit(static_cast<uint64_t>(divisor))) {
    by_power(i, std::countr_zero(static_cast<uint64_t>(divisor)));
  } else {
    by_positive(i, divisor);
  }
  return true;
}

void ScalarDivision::by_power(const Scalar& i, int power) {
  r_.move(i.to, i.operands[0]);
  if (i.op == ScalarOp::floor_divide) {
    if (power > 0) cc_.sar(r_.target(i), power);
    return;
  }
  const int64_t mask = (int64_t{1} << power) - 1;
  if (mask <= INT32_MAX) return (void)cc_.and_(r_.target(i), imm(mask));
  x86::Gp bits = r_.word();
  cc_.mov(bits, imm(mask));
  cc_.and_(r_.target(i), bits);
}

// n / d = n · M / 2^(w + l) for 0 ≤ n < 2^w, with l bits in d − 1 and M the least integer above 2^(w + l) / d.
void ScalarDivision::by_positive(const Scalar& i, int64_t divisor) {
  const bool is_wide = r_.wide(i.to);
  const int width = is_wide ? 63 : 31;
  const auto length = static_cast<int>(std::bit_width(static_cast<uint64_t>(divisor - 1)));
  using Wide = unsigned __int128;
  const auto factor = static_cast<uint64_t>((Wide{1} << (width + length)) / static_cast<Wide>(divisor) + 1);
  const x86::Gp a = r_.gp(i.operands[0]);
  x86::Gp sign = r_.word(), n = r_.word(), m = r_.word(), q = r_.word();
  if (is_wide)
    cc_.mov(n, a);
  else
    cc_.movsxd(n, a);
  cc_.mov(sign, n);
  cc_.sar(sign, 63);
  cc_.xor_(n, sign);
  cc_.mov(m, imm(static_cast<int64_t>(factor)));
  if (is_wide) {
    x86::Gp low = r_.word();
    cc_.mulx(q, low, m, n);
    cc_.shr(q, length - 1);
  } else {
    cc_.mov(q, n);
    cc_.imul(q, m);
    cc_.shr(q, width + length);
  }
  cc_.xor_(q, sign);
  if (i.op == ScalarOp::floor_modulo) {
    if (divisor <= INT32_MAX) {
      cc_.imul(q, q, imm(divisor));
    } else {
      cc_.mov(m, imm(divisor));
      cc_.imul(q, m);
    }
    x86::Gp rest = r_.word();
    cc_.mov(rest.r32(), a.r32());
    if (is_wide) cc_.mov(rest, a);
    cc_.sub(rest, q);
    q = rest;
  }
  cc_.mov(r_.target(i), is_wide ? q : q.r32());
}

// Divisors 0 and −1 lie out of the way: there the quotient is a·b and the remainder 0. Two 64-bit numbers that fit 32
// bits are divided as such, which costs a third on many processors.
void ScalarDivision::by_any(const Scalar& i) {
  const bool known = r_.is_constant(i.operands[1]), is_wide = r_.wide(i.to);
  const x86::Gp a = r_.gp(i.operands[0]), b = r_.gp(i.operands[1]);
  x86::Gp result = r_.new_gp(r_.dtype(i.to)), t = r_.new_gp(r_.dtype(i.to));
  Label special = cc_.newLabel(), large = cc_.newLabel(), done = cc_.newLabel();
  if (!known) {
    cc_.mov(t, b);
    cc_.inc(t);
    cc_.cmp(t, 1);
    cc_.jbe(special);
  }
  if (is_wide) {
    cc_.mov(t, a);
    cc_.or_(t, b);
    cc_.shr(t, 32);
    cc_.jnz(large);
    small_quotient(i, a, b, result);
  } else {
    signed_quotient(i, a, b, result);
  }
  cc_.bind(done);
  cc_.mov(r_.target(i), result);
  e_.out_of_line([&] {
    if (!known) {
      cc_.bind(special);
      cc_.mov(result, a);
      if (i.op == ScalarOp::floor_divide)
        cc_.imul(result, b);
      else
        cc_.xor_(result, result);
      cc_.jmp(done);
    }
    if (is_wide) {
      cc_.bind(large);
      signed_quotient(i, a, b, result);
      cc_.jmp(done);
    }
  });
}

void ScalarDivision::small_quotient(const Scalar& i, x86::Gp a, x86::Gp b, x86::Gp result) {
  x86::Gp quotient = r_.word(), rest = r_.word();
  cc_.mov(quotient.r32(), a.r32());
  cc_.xor_(rest.r32(), rest.r32());
  cc_.div(rest.r32(), quotient.r32(), b.r32());
  cc_.mov(result.r32(), i.op == ScalarOp::floor_divide ? quotient.r32() : rest.r32());
}

// Toward zero by the instruction; where the rest is not 0 and its sign is not the divisor's, one further down.
void ScalarDivision::signed_quotient(const Scalar& i, x86::Gp a, x86::Gp b, x86::Gp result) {
  const Dtype type = r_.dtype(i.to);
  x86::Gp quotient = r_.new_gp(type), rest = r_.new_gp(type), lower = r_.new_gp(type), signs = r_.new_gp(type);
  cc_.mov(quotient, a);
  if (type == Dtype::i64)
    cc_.cqo(rest, quotient);
  else
    cc_.cdq(rest, quotient);
  cc_.idiv(rest, quotient, b);
  const x86::Gp toward_zero = i.op == ScalarOp::floor_divide ? quotient : rest;
  cc_.mov(lower, toward_zero);
  if (i.op == ScalarOp::floor_divide)
    cc_.sub(lower, 1);
  else
    cc_.add(lower, b);
  cc_.mov(signs, rest);
  cc_.xor_(signs, b);
  cc_.cmovns(lower, toward_zero);
  cc_.test(rest, rest);
  cc_.cmovz(lower, toward_zero);
  cc_.mov(result, lower);
}

}  // namespace covec::simd
