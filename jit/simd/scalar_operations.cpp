// Registers, arithmetic, comparisons and selects. Division is in scalar_division.cpp, conversions in
// scalar_conversions.cpp.
#include "jit/simd/scalar_operations.hpp"

namespace covec::simd {

using loops::Instruction;
using loops::Register;
using ops::ScalarOp;

namespace {

bool fits_immediate(int64_t number) { return number == static_cast<int32_t>(number); }

}  // namespace

ScalarOperations::ScalarOperations(Emitter& emitter, const loops::Code& code)
    : e_(emitter), cc_(emitter.cc), code_(code), homes_(code.registers.size()), constants_(code.registers.size()) {}

// --- registers ---

x86::Gp ScalarOperations::word() {
  if (words_used_ == words_.size()) words_.push_back(cc_.newInt64());
  return words_[words_used_++];
}
x86::Xmm ScalarOperations::float_word() {
  if (float_words_used_ == float_words_.size()) float_words_.push_back(cc_.newXmmSd());
  return float_words_[float_words_used_++];
}

void ScalarOperations::end_instruction() { words_used_ = float_words_used_ = 0; }

x86::Gp ScalarOperations::new_gp(Dtype dtype) { return size_of(dtype) == 8 ? word() : word().r32(); }

const x86::Reg& ScalarOperations::home(Register r) {
  if (homes_[r].isValid()) return homes_[r];
  std::vector<x86::Reg>& free = is_float_register(r) ? free_float_homes_ : free_homes_;
  if (!free.empty()) {
    homes_[r] = free.back();
    free.pop_back();
  } else if (is_float_register(r)) {
    homes_[r] = cc_.newXmmSd();
  } else {
    homes_[r] = cc_.newInt64();
  }
  if (!is_float_register(r) && !wide(r)) homes_[r] = homes_[r].as<x86::Gp>().r32();
  return homes_[r];
}

void ScalarOperations::hand_over(const Instruction& i, unsigned operand) {
  const Register from = i.operands[operand];
  if (homes_[i.to].isValid() || !homes_[from].isValid() || dtype(i.to) != dtype(from)) return;
  homes_[i.to] = homes_[from];
  handed_over_ = from;
}

void ScalarOperations::release(Register r) {
  if (!homes_[r].isValid()) return;
  if (handed_over_ == r) {
    homes_[r].reset();
    handed_over_.reset();
    return;
  }
  if (is_float_register(r))
    free_float_homes_.push_back(homes_[r]);
  else
    free_homes_.push_back(homes_[r].as<x86::Gp>().r64());
  homes_[r].reset();
}

int64_t ScalarOperations::integer_constant(Register r) const {
  switch (dtype(r)) {
    case Dtype::boolean: return static_cast<int64_t>(*constants_[r] & 1);
    case Dtype::i32: return static_cast<int32_t>(*constants_[r]);
    default: return static_cast<int64_t>(*constants_[r]);
  }
}

x86::Gp ScalarOperations::gp(Register r) {
  if (!is_constant(r)) return home(r).as<x86::Gp>();
  x86::Gp number = new_gp(dtype(r));
  cc_.mov(number, imm(integer_constant(r)));
  return number;
}

x86::Xmm ScalarOperations::xmm(Register r) {
  if (!is_constant(r)) return home(r).as<x86::Xmm>();
  x86::Xmm number = float_word();
  cc_.emit(wide(r) ? Inst::kIdVmovsd : Inst::kIdVmovss, number, float_operand(r));
  return number;
}

Operand_ ScalarOperations::integer_operand(Register r) {
  if (is_constant(r) && fits_immediate(integer_constant(r))) return imm(integer_constant(r));
  return gp(r);
}

Operand_ ScalarOperations::float_operand(Register r) {
  if (is_constant(r)) return e_.constant(*constants_[r], size_of(dtype(r)));
  return xmm(r);
}

void ScalarOperations::move(Register to, Register from) {
  if (to == from || handed_over_ == from) return;
  if (!is_float_register(to))
    cc_.emit(Inst::kIdMov, home(to), integer_operand(from));
  else if (is_constant(from))
    cc_.emit(wide(to) ? Inst::kIdVmovsd : Inst::kIdVmovss, home(to), float_operand(from));
  else
    cc_.emit(Inst::kIdVmovaps, home(to), home(from));
}

void ScalarOperations::load_constant(Register to, uint64_t bits) {
  if (is_constant(to)) return;
  if (is_float_register(to)) {
    cc_.emit(wide(to) ? Inst::kIdVmovsd : Inst::kIdVmovss, home(to), e_.constant(bits, size_of(dtype(to))));
  } else {
    const int64_t number = dtype(to) == Dtype::i64   ? static_cast<int64_t>(bits)
                           : dtype(to) == Dtype::i32 ? static_cast<int32_t>(bits)
                                                     : static_cast<int64_t>(bits & 1);
    cc_.mov(home(to).as<x86::Gp>(), imm(number));
  }
}

// --- the operations ---

void ScalarOperations::apply(const Instruction& i, const Instruction* compare) {
  const Dtype to = dtype(i.to);
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
    case ScalarOp::floor_modulo: return divided(i);
    case ScalarOp::integer_power:
    case ScalarOp::remainder: return helped(i);
    case ScalarOp::convert: return converted(i);
    case ScalarOp::bitcast: return bits_cast(i);
  }
}

// --- floats ---

void ScalarOperations::float_arithmetic(InstId id, const Instruction& i) {
  cc_.emit(id, target_xmm(i), xmm(i.operands[0]), float_operand(i.operands[1]));
}

void ScalarOperations::square_root(const Instruction& i) {
  const x86::Xmm a = xmm(i.operands[0]);
  cc_.emit(pick(dtype(i.to), Inst::kIdVsqrtss, Inst::kIdVsqrtsd), target_xmm(i), a, a);
}

void ScalarOperations::rounded(const Instruction& i, int mode) {
  const x86::Xmm a = xmm(i.operands[0]);
  cc_.emit(pick(dtype(i.to), Inst::kIdVroundss, Inst::kIdVroundsd), target_xmm(i), a, a, imm(8 | mode));
}

void ScalarOperations::negated_float(const Instruction& i) {
  const size_t size = size_of(dtype(i.to));
  const x86::Mem signs = e_.constant(uint64_t{1} << (8 * size - 1), size, 16 / size);
  cc_.vxorps(target_xmm(i), xmm(i.operands[0]), signs);
}

// The result takes the place of an operand.
void ScalarOperations::fused(const Instruction& i) {
  const InstId multiply_first = pick(dtype(i.to), Inst::kIdVfmadd213ss, Inst::kIdVfmadd213sd);
  const InstId add_to = pick(dtype(i.to), Inst::kIdVfmadd231ss, Inst::kIdVfmadd231sd);
  Register a = i.operands[0], b = i.operands[1];
  const Register c = i.operands[2];
  if (is_constant(a)) std::swap(a, b);
  const x86::Xmm to = target_xmm(i);
  if (i.to == c) {
    cc_.emit(add_to, to, xmm(a), float_operand(b));
  } else if (i.to == a || i.to == b) {
    cc_.emit(multiply_first, to, xmm(i.to == a ? b : a), float_operand(c));
  } else {
    move(i.to, c);
    cc_.emit(add_to, to, xmm(a), float_operand(b));
  }
}

// --- integers ---

// to = a op b, in two-operand form.
void ScalarOperations::integer_arithmetic(InstId id, const Instruction& i) {
  Register a = i.operands[0], b = i.operands[1];
  const bool commutes = id != Inst::kIdSub;
  if (commutes && (i.to == b || is_constant(a)) && i.to != a) std::swap(a, b);
  const x86::Gp to = target(i);
  if (i.to == b && i.to != a) {
    x86::Gp result = new_gp(dtype(i.to));
    cc_.emit(Inst::kIdMov, result, integer_operand(a));
    cc_.emit(id, result, to);
    cc_.mov(to, result);
    return;
  }
  move(i.to, a);
  cc_.emit(id, to, integer_operand(b));
}

void ScalarOperations::multiplied(const Instruction& i) {
  Register a = i.operands[0], b = i.operands[1];
  if (is_constant(a) || (i.to == b && !is_constant(b))) std::swap(a, b);
  const Operand_ by = integer_operand(b);
  if (by.isImm()) {
    cc_.emit(Inst::kIdImul, target(i), gp(a), by);
    return;
  }
  if (i.to == b && i.to != a) std::swap(a, b);
  const Operand_ factor = integer_operand(b);
  move(i.to, a);
  cc_.emit(Inst::kIdImul, target(i), factor);
}

void ScalarOperations::unary(InstId id, const Instruction& i) {
  move(i.to, i.operands[0]);
  cc_.emit(id, target(i));
}

void ScalarOperations::inverted(const Instruction& i) {
  if (dtype(i.to) != Dtype::boolean) return unary(Inst::kIdNot, i);
  move(i.to, i.operands[0]);
  cc_.xor_(target(i), 1);
}

void ScalarOperations::shifted(const Instruction& i) {
  const bool left = i.op == ScalarOp::shift_left, arithmetic = i.op == ScalarOp::shift_right;
  if (is_constant(i.operands[1])) {
    const int64_t amount = integer_constant(i.operands[1]) & (wide(i.to) ? 63 : 31);
    move(i.to, i.operands[0]);
    cc_.emit(left ? Inst::kIdShl : arithmetic ? Inst::kIdSar : Inst::kIdShr, target(i), imm(amount));
    return;
  }
  cc_.emit(left         ? Inst::kIdShlx
           : arithmetic ? Inst::kIdSarx
                        : Inst::kIdShrx,
           target(i), gp(i.operands[0]), gp(i.operands[1]));
}

// --- comparisons ---

ScalarOperations::Flags ScalarOperations::compare(const Instruction& i) {
  using x86::CondCode;
  const auto [a, b, unused] = i.operands;
  const bool equality = i.op == ScalarOp::eq || i.op == ScalarOp::ne;
  if (!is_float_register(a)) {
    cc_.emit(Inst::kIdCmp, gp(a), integer_operand(b));
    if (equality) return {i.op == ScalarOp::eq ? CondCode::kE : CondCode::kNE};
    return {i.op == ScalarOp::lt ? CondCode::kL : CondCode::kLE};
  }
  const InstId id = pick(dtype(a), Inst::kIdVucomiss, Inst::kIdVucomisd);
  if (equality) {
    cc_.emit(id, xmm(a), float_operand(b));
    if (i.op == ScalarOp::eq) return {CondCode::kE, Flags::Parity::and_not};
    return {CondCode::kNE, Flags::Parity::or_set};
  }
  cc_.emit(id, xmm(b), float_operand(a));  // a NaN sets the carry: above is false
  return {i.op == ScalarOp::lt ? CondCode::kA : CondCode::kAE};
}

void ScalarOperations::jump_on_compare(const Instruction& compare_instruction, bool when, Label to) {
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

void ScalarOperations::compared(const Instruction& i) {
  if (is_float_register(i.operands[0])) return compared_floats(i);
  const Flags flags = compare(i);
  x86::Gp bit = word().r32();
  cc_.set(flags.condition, bit.r8());
  cc_.movzx(target(i), bit.r8());
}

namespace {

int predicate(ScalarOp op) {  // of vcmpss: quiet; false with a NaN but for ne
  return op == ScalarOp::lt ? 17 : op == ScalarOp::le ? 18 : op == ScalarOp::eq ? 0 : 4;
}

}  // namespace

void ScalarOperations::compared_floats(const Instruction& i) {
  const auto [a, b, unused] = i.operands;
  x86::Xmm mask = float_word();
  cc_.emit(pick(dtype(a), Inst::kIdVcmpss, Inst::kIdVcmpsd), mask, xmm(a), float_operand(b), imm(predicate(i.op)));
  cc_.emit(pick(dtype(a), Inst::kIdVmovmskps, Inst::kIdVmovmskpd), target(i), mask);
  cc_.and_(target(i), 1);
}

// --- selects ---

void ScalarOperations::selected(const Instruction& i, const Instruction* compare_instruction) {
  const auto [condition, a, b] = i.operands;
  x86::Gp result = new_gp(dtype(i.to));
  cc_.emit(Inst::kIdMov, result, integer_operand(b));
  const x86::Gp other = gp(a);
  if (compare_instruction != nullptr) {
    const Flags flags = compare(*compare_instruction);
    cc_.cmov(flags.condition, result, other);
  } else {
    const x86::Gp truth = gp(condition);
    cc_.test(truth, truth);
    cc_.cmovnz(result, other);
  }
  cc_.mov(target(i), result);
}

void ScalarOperations::selected_float(const Instruction& i, const Instruction* compare_instruction) {
  const x86::Xmm mask = blend_mask(i, compare_instruction);
  cc_.emit(pick(dtype(i.to), Inst::kIdVblendvps, Inst::kIdVblendvpd), target_xmm(i), xmm(i.operands[2]),
           xmm(i.operands[1]), mask);
}

// The condition in the sign bit.
x86::Xmm ScalarOperations::blend_mask(const Instruction& i, const Instruction* compare_instruction) {
  x86::Xmm mask = float_word();
  if (compare_instruction != nullptr) {
    const auto [a, b, unused] = compare_instruction->operands;
    cc_.emit(pick(dtype(a), Inst::kIdVcmpss, Inst::kIdVcmpsd), mask, xmm(a), float_operand(b),
             imm(predicate(compare_instruction->op)));
    return mask;
  }
  x86::Gp bits = word();
  cc_.mov(bits.r32(), gp(i.operands[0]));
  if (wide(i.to)) {
    cc_.shl(bits, 63);
    cc_.vmovq(mask, bits);
  } else {
    cc_.shl(bits.r32(), 31);
    cc_.vmovd(mask, bits.r32());
  }
  return mask;
}

}  // namespace covec::simd
