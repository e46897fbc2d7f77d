#include "jit/simd/machine/scalar_operations.hpp"

namespace covec::simd {

using loops::Register;
using loops::instruction::Scalar;
using ops::ScalarOp;

void ScalarOperations::apply(const Scalar& i, const Scalar* compare) {
  const Dtype to = r_.dtype(i.to);
  const bool floats = is_float(to);
  switch (i.op) {
    case ScalarOp::add:
      return floats ? float_arithmetic(pick(to, Inst::kIdVaddss, Inst::kIdVaddsd), i)
                    : integer_arithmetic(Inst::kIdAdd, i);
    case ScalarOp::sub:
      return floats ? float_arithmetic(pick(to, Inst::kIdVsubss, Inst::kIdVsubsd), i)
                    : integer_arithmetic(Inst::kIdSub, i);
    case ScalarOp::mul: return floats ? float_arithmetic(pick(to, Inst::kIdVmulss, Inst::kIdVmulsd), i) : multiplied(i);
    case ScalarOp::negate: return floats ? negated_float(i) : unary(Inst::kIdNeg, i);
    case ScalarOp::div: return float_arithmetic(pick(to, Inst::kIdVdivss, Inst::kIdVdivsd), i);
    case ScalarOp::sqrt: return square_root(i);
    case ScalarOp::fma: return fused(i);
    case ScalarOp::round_even: return rounded(i, 0);
    case ScalarOp::floor: return rounded(i, 1);
    case ScalarOp::ceil: return rounded(i, 2);
    case ScalarOp::trunc: return rounded(i, 3);
    case ScalarOp::lt:
    case ScalarOp::le:
    case ScalarOp::eq:
    case ScalarOp::ne: return compared(i);
    case ScalarOp::select: return floats ? selected_float(i, compare) : selected(i, compare);
    case ScalarOp::bit_and: return integer_arithmetic(Inst::kIdAnd, i);
    case ScalarOp::bit_or: return integer_arithmetic(Inst::kIdOr, i);
    case ScalarOp::bit_xor: return integer_arithmetic(Inst::kIdXor, i);
    case ScalarOp::bit_not: return inverted(i);
    case ScalarOp::shift_left:
    case ScalarOp::shift_right:
    case ScalarOp::shift_right_logical: return shifted(i);
    case ScalarOp::floor_divide:
    case ScalarOp::floor_modulo: return division_.apply(i);
    case ScalarOp::integer_power:
    case ScalarOp::common_divisor:
    case ScalarOp::remainder: return helped(i);
    case ScalarOp::convert: return conversions_.convert(i);
    case ScalarOp::bitcast: return conversions_.cast_bits(i);
  }
}

// --- floats ---

void ScalarOperations::float_arithmetic(InstId id, const Scalar& i) {
  cc_.emit(id, r_.target_xmm(i), r_.xmm(i.operands[0]), r_.float_operand(i.operands[1]));
}

void ScalarOperations::square_root(const Scalar& i) {
  const x86::Xmm a = r_.xmm(i.operands[0]);
  cc_.emit(pick(r_.dtype(i.to), Inst::kIdVsqrtss, Inst::kIdVsqrtsd), r_.target_xmm(i), a, a);
}

void ScalarOperations::rounded(const Scalar& i, int mode) {
  const x86::Xmm a = r_.xmm(i.operands[0]);
  cc_.emit(pick(r_.dtype(i.to), Inst::kIdVroundss, Inst::kIdVroundsd), r_.target_xmm(i), a, a, imm(8 | mode));
}

void ScalarOperations::negated_float(const Scalar& i) {
  const size_t size = size_of(r_.dtype(i.to));
  const x86::Mem signs = e_.constant(uint64_t{1} << (8 * size - 1), size, 16 / size);
  cc_.vxorps(r_.target_xmm(i), r_.xmm(i.operands[0]), signs);
}

// The result takes the place of an operand.
void ScalarOperations::fused(const Scalar& i) {
  const InstId multiply_first = pick(r_.dtype(i.to), Inst::kIdVfmadd213ss, Inst::kIdVfmadd213sd);
  const InstId add_to = pick(r_.dtype(i.to), Inst::kIdVfmadd231ss, Inst::kIdVfmadd231sd);
  Register a = i.operands[0], b = i.operands[1];
  const Register c = i.operands[2];
  if (r_.is_constant(a)) std::swap(a, b);
  const x86::Xmm to = r_.target_xmm(i);
  if (i.to == c) {
    cc_.emit(add_to, to, r_.xmm(a), r_.float_operand(b));
  } else if (i.to == a || i.to == b) {
    cc_.emit(multiply_first, to, r_.xmm(i.to == a ? b : a), r_.float_operand(c));
  } else {
    r_.move(i.to, c);
    cc_.emit(add_to, to, r_.xmm(a), r_.float_operand(b));
  }
}

// --- integers ---

// to = a op b, in two-operand form.
void ScalarOperations::integer_arithmetic(InstId id, const Scalar& i) {
  Register a = i.operands[0], b = i.operands[1];
  const bool commutes = id != Inst::kIdSub;
  if (commutes && (i.to == b || r_.is_constant(a)) && i.to != a) std::swap(a, b);
  const x86::Gp to = r_.target(i);
  if (i.to == b && i.to != a) {
    x86::Gp result = r_.new_gp(r_.dtype(i.to));
    cc_.emit(Inst::kIdMov, result, r_.integer_operand(a));
    cc_.emit(id, result, to);
    cc_.mov(to, result);
    return;
  }
  r_.move(i.to, a);
  cc_.emit(id, to, r_.integer_operand(b));
}

void ScalarOperations::multiplied(const Scalar& i) {
  Register a = i.operands[0], b = i.operands[1];
  if (r_.is_constant(a) || (i.to == b && !r_.is_constant(b))) std::swap(a, b);
  const Operand_ by = r_.integer_operand(b);
  if (by.isImm()) {
    cc_.emit(Inst::kIdImul, r_.target(i), r_.gp(a), by);
    return;
  }
  if (i.to == b && i.to != a) std::swap(a, b);
  const Operand_ factor = r_.integer_operand(b);
  r_.move(i.to, a);
  cc_.emit(Inst::kIdImul, r_.target(i), factor);
}

void ScalarOperations::unary(InstId id, const Scalar& i) {
  r_.move(i.to, i.operands[0]);
  cc_.emit(id, r_.target(i));
}

void ScalarOperations::inverted(const Scalar& i) {
  if (r_.dtype(i.to) != Dtype::boolean) return unary(Inst::kIdNot, i);
  r_.move(i.to, i.operands[0]);
  cc_.xor_(r_.target(i), 1);
}

void ScalarOperations::shifted(const Scalar& i) {
  const bool left = i.op == ScalarOp::shift_left, arithmetic = i.op == ScalarOp::shift_right;
  if (r_.is_constant(i.operands[1])) {
    const int64_t amount = r_.integer_constant(i.operands[1]) & (r_.wide(i.to) ? 63 : 31);
    r_.move(i.to, i.operands[0]);
    cc_.emit(left ? Inst::kIdShl : arithmetic ? Inst::kIdSar : Inst::kIdShr, r_.target(i), imm(amount));
    return;
  }
  cc_.emit(left         ? Inst::kIdShlx
           : arithmetic ? Inst::kIdSarx
                        : Inst::kIdShrx,
           r_.target(i), r_.gp(i.operands[0]), r_.gp(i.operands[1]));
}

// --- comparisons ---

ScalarOperations::Flags ScalarOperations::compare(const Scalar& i) {
  using x86::CondCode;
  const auto [a, b, unused] = i.operands;
  const bool equality = i.op == ScalarOp::eq || i.op == ScalarOp::ne;
  if (!r_.is_float_register(a)) {
    cc_.emit(Inst::kIdCmp, r_.gp(a), r_.integer_operand(b));
    if (equality) return {i.op == ScalarOp::eq ? CondCode::kE : CondCode::kNE};
    return {i.op == ScalarOp::lt ? CondCode::kL : CondCode::kLE};
  }
  const InstId id = pick(r_.dtype(a), Inst::kIdVucomiss, Inst::kIdVucomisd);
  if (equality) {
    cc_.emit(id, r_.xmm(a), r_.float_operand(b));
    if (i.op == ScalarOp::eq) return {CondCode::kE, Flags::Parity::and_not};
    return {CondCode::kNE, Flags::Parity::or_set};
  }
  cc_.emit(id, r_.xmm(b), r_.float_operand(a));  // a NaN sets the carry: above is false
  return {i.op == ScalarOp::lt ? CondCode::kA : CondCode::kAE};
}

void ScalarOperations::jump_on_compare(const Scalar& compare_instruction, bool when, Label to) {
  Flags flags = compare(compare_instruction);
  if (flags.parity == Flags::Parity::any)
    return (void)cc_.j(when ? flags.condition : x86::negateCond(flags.condition), to);
  if (when == (flags.parity == Flags::Parity::or_set)) {
    cc_.jne(to);
    cc_.jp(to);
  } else {
    Label beyond = cc_.newLabel();
    cc_.jp(beyond);
    cc_.je(to);
    cc_.bind(beyond);
  }
}

void ScalarOperations::compared(const Scalar& i) {
  if (r_.is_float_register(i.operands[0])) return compared_floats(i);
  const Flags flags = compare(i);
  x86::Gp bit = r_.word().r32();
  cc_.set(flags.condition, bit.r8());
  cc_.movzx(r_.target(i), bit.r8());
}

namespace {

int predicate(ScalarOp op) {  // of vcmpss: quiet; false with a NaN but for ne
  return op == ScalarOp::lt ? 17 : op == ScalarOp::le ? 18 : op == ScalarOp::eq ? 0 : 4;
}

}  // namespace

void ScalarOperations::compared_floats(const Scalar& i) {
  const auto [a, b, unused] = i.operands;
  x86::Xmm mask = r_.float_word();
  cc_.emit(pick(r_.dtype(a), Inst::kIdVcmpss, Inst::kIdVcmpsd), mask, r_.xmm(a), r_.float_operand(b),
           imm(predicate(i.op)));
  cc_.emit(pick(r_.dtype(a), Inst::kIdVmovmskps, Inst::kIdVmovmskpd), r_.target(i), mask);
  cc_.and_(r_.target(i), 1);
}

// --- selects ---

void ScalarOperations::selected(const Scalar& i, const Scalar* compare_instruction) {
  const auto [condition, a, b] = i.operands;
  x86::Gp result = r_.new_gp(r_.dtype(i.to));
  cc_.emit(Inst::kIdMov, result, r_.integer_operand(b));
  const x86::Gp other = r_.gp(a);
  if (compare_instruction != nullptr) {
    const Flags flags = compare(*compare_instruction);
    cc_.cmov(flags.condition, result, other);
  } else {
    const x86::Gp truth = r_.gp(condition);
    cc_.test(truth, truth);
    cc_.cmovnz(result, other);
  }
  cc_.mov(r_.target(i), result);
}

void ScalarOperations::selected_float(const Scalar& i, const Scalar* compare_instruction) {
  const x86::Xmm mask = blend_mask(i, compare_instruction);
  // What a zero cotangent makes zero, mostly: all bits of a comparison's mask are alike.
  if (compare_instruction != nullptr && r_.is_zero(i.operands[1]))
    return (void)cc_.vandnps(r_.target_xmm(i), mask, r_.xmm(i.operands[2]));
  cc_.emit(pick(r_.dtype(i.to), Inst::kIdVblendvps, Inst::kIdVblendvpd), r_.target_xmm(i), r_.xmm(i.operands[2]),
           r_.xmm(i.operands[1]), mask);
}

// The condition in the sign bit.
x86::Xmm ScalarOperations::blend_mask(const Scalar& i, const Scalar* compare_instruction) {
  x86::Xmm mask = r_.float_word();
  if (compare_instruction != nullptr) {
    const auto [a, b, unused] = compare_instruction->operands;
    cc_.emit(pick(r_.dtype(a), Inst::kIdVcmpss, Inst::kIdVcmpsd), mask, r_.xmm(a), r_.float_operand(b),
             imm(predicate(compare_instruction->op)));
    return mask;
  }
  x86::Gp bits = r_.word();
  cc_.mov(bits.r32(), r_.gp(i.operands[0]));
  if (r_.wide(i.to)) {
    cc_.shl(bits, 63);
    cc_.vmovq(mask, bits);
  } else {
    cc_.shl(bits.r32(), 31);
    cc_.vmovd(mask, bits.r32());
  }
  return mask;
}

// --- operations that are calls ---

// As vectors of one lane.
void ScalarOperations::helped(const Scalar& i) {
  const auto size = static_cast<uint32_t>(size_of(r_.dtype(i.to)));
  for (x86::Mem& place : places_) {
    if (!place.hasBase()) place = cc_.newStack(8, 8);
  }
  x86::Mem places[2] = {places_[0], places_[1]};
  x86::Gp addresses[2] = {r_.word(), r_.word()};
  const bool floats = r_.is_float_register(i.to);
  const InstId float_move = pick(r_.dtype(i.to), Inst::kIdVmovss, Inst::kIdVmovsd);
  for (int k = 0; k < 2; ++k) {
    places[k].setSize(size);
    if (floats)
      cc_.emit(float_move, places[k], r_.xmm(i.operands[k]));
    else
      cc_.mov(places[k], r_.gp(i.operands[k]));
    cc_.lea(addresses[k], places[k]);
  }
  asmjit::InvokeNode* call = nullptr;
  using Signature = asmjit::FuncSignatureT<void, void*, const void*, const void*, int64_t>;
  cc_.invoke(&call, e_.helper(helper_for(i.op, r_.dtype(i.to))), Signature());
  if (call == nullptr) return;
  call->setArg(0, addresses[0]);
  call->setArg(1, addresses[0]);
  call->setArg(2, addresses[1]);
  call->setArg(3, imm(1));
  if (floats)
    cc_.emit(float_move, r_.target_xmm(i), places[0]);
  else
    cc_.mov(r_.target(i), places[0]);
}

}  // namespace covec::simd
