// Floor division and modulo of integers, and the operations that are calls. By a constant there is no division: bits
// for a power of two, else the high half of a product. Toward minus infinity, with s all ones where a < 0:
// floor(a / d) = ((a ^ s) / d) ^ s for d > 0, where a ^ s ≥ 0.
#include "jit/simd/scalar_operations.hpp"

namespace covec::simd {

using loops::Instruction;
using ops::ScalarOp;

void ScalarOperations::divided(const Instruction& i) {
  if (!is_constant(i.operands[1]) || !divided_by_constant(i)) divided_by_any(i);
}

bool ScalarOperations::divided_by_constant(const Instruction& i) {
  const int64_t divisor = integer_constant(i.operands[1]);
  const bool quotient = i.op == ScalarOp::floor_divide;
  if (divisor == 0 || (divisor == -1 && !quotient)) {
    cc_.mov(target(i), 0);
  } else if (divisor == -1) {
    unary(Inst::kIdNeg, i);
  } else if (divisor < 0) {
    return false;
  } else if (std::has_single_bit(static_cast<uint64_t>(divisor))) {
    divided_by_power(i, std::countr_zero(static_cast<uint64_t>(divisor)));
  } else {
    divided_by_positive(i, divisor);
  }
  return true;
}

void ScalarOperations::divided_by_power(const Instruction& i, int power) {
  move(i.to, i.operands[0]);
  if (i.op == ScalarOp::floor_divide) {
    if (power > 0) cc_.sar(target(i), power);
    return;
  }
  const int64_t mask = (int64_t{1} << power) - 1;
  if (mask <= INT32_MAX) return (void)cc_.and_(target(i), imm(mask));
  x86::Gp bits = word();
  cc_.mov(bits, imm(mask));
  cc_.and_(target(i), bits);
}

// n / d = n · M / 2^(w + l) for 0 ≤ n < 2^w, with l bits in d − 1 and M the least integer above 2^(w + l) / d.
void ScalarOperations::divided_by_positive(const Instruction& i, int64_t divisor) {
  const bool is_wide = wide(i.to);
  const int width = is_wide ? 63 : 31;
  const int length = std::bit_width(static_cast<uint64_t>(divisor - 1));
  using Wide = unsigned __int128;
  const auto factor = static_cast<uint64_t>((Wide{1} << (width + length)) / static_cast<Wide>(divisor) + 1);
  const x86::Gp a = gp(i.operands[0]);
  x86::Gp sign = word(), n = word(), m = word(), q = word();
  if (is_wide)
    cc_.mov(n, a);
  else
    cc_.movsxd(n, a);
  cc_.mov(sign, n);
  cc_.sar(sign, 63);
  cc_.xor_(n, sign);
  cc_.mov(m, imm(static_cast<int64_t>(factor)));
  if (is_wide) {
    x86::Gp low = word();
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
    x86::Gp rest = word();
    cc_.mov(rest.r32(), a.r32());
    if (is_wide) cc_.mov(rest, a);
    cc_.sub(rest, q);
    q = rest;
  }
  cc_.mov(target(i), is_wide ? q : q.r32());
}

// Divisors 0 and −1 lie out of the way: there the quotient is a·b and the remainder 0. Two 64-bit numbers that fit 32
// bits are divided as such, which costs a third on many processors.
void ScalarOperations::divided_by_any(const Instruction& i) {
  const bool known = is_constant(i.operands[1]), is_wide = wide(i.to);
  const x86::Gp a = gp(i.operands[0]), b = gp(i.operands[1]);
  x86::Gp result = new_gp(dtype(i.to)), t = new_gp(dtype(i.to));
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
    divided_small(i, a, b, result);
  } else {
    divided_signed(i, a, b, result);
  }
  cc_.bind(done);
  cc_.mov(target(i), result);
  e_.out_of_the_way([&] {
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
      divided_signed(i, a, b, result);
      cc_.jmp(done);
    }
  });
}

void ScalarOperations::divided_small(const Instruction& i, x86::Gp a, x86::Gp b, x86::Gp result) {
  x86::Gp quotient = word(), rest = word();
  cc_.mov(quotient.r32(), a.r32());
  cc_.xor_(rest.r32(), rest.r32());
  cc_.div(rest.r32(), quotient.r32(), b.r32());
  cc_.mov(result.r32(), i.op == ScalarOp::floor_divide ? quotient.r32() : rest.r32());
}

// Toward zero by the instruction; where the rest is not 0 and its sign is not the divisor's, one further down.
void ScalarOperations::divided_signed(const Instruction& i, x86::Gp a, x86::Gp b, x86::Gp result) {
  const Dtype type = dtype(i.to);
  x86::Gp quotient = new_gp(type), rest = new_gp(type), lower = new_gp(type), signs = new_gp(type);
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

// As vectors of one lane.
void ScalarOperations::helped(const Instruction& i) {
  const auto size = static_cast<uint32_t>(size_of(dtype(i.to)));
  for (x86::Mem& place : places_) {
    if (!place.hasBase()) place = cc_.newStack(8, 8);
  }
  x86::Mem places[2] = {places_[0], places_[1]};
  x86::Gp addresses[2] = {word(), word()};
  const bool floats = is_float_register(i.to);
  const InstId float_move = pick(dtype(i.to), Inst::kIdVmovss, Inst::kIdVmovsd);
  for (int k = 0; k < 2; ++k) {
    places[k].setSize(size);
    if (floats)
      cc_.emit(float_move, places[k], xmm(i.operands[k]));
    else
      cc_.mov(places[k], gp(i.operands[k]));
    cc_.lea(addresses[k], places[k]);
  }
  asmjit::InvokeNode* call = nullptr;
  using Signature = asmjit::FuncSignatureT<void, void*, const void*, const void*, int64_t>;
  cc_.invoke(&call, e_.helper(helper_for(i.op, dtype(i.to))), Signature());
  if (call == nullptr) return;
  call->setArg(0, addresses[0]);
  call->setArg(1, addresses[0]);
  call->setArg(2, addresses[1]);
  call->setArg(3, imm(1));
  if (floats)
    cc_.emit(float_move, target_xmm(i), places[0]);
  else
    cc_.mov(target(i), places[0]);
}

}  // namespace covec::simd
