#include "jit/simd/machine/scalar_registers.hpp"

namespace covec::simd {

using loops::Register;

namespace {

bool fits_immediate(int64_t number) { return number == static_cast<int32_t>(number); }

}  // namespace

ScalarRegisters::ScalarRegisters(Emitter& emitter, const loops::Code& code)
    : e_(emitter), cc_(emitter.cc), code_(code), homes_(code.registers.size()), constants_(code.registers.size()) {}

x86::Gp ScalarRegisters::word() {
  if (words_used_ == words_.size()) words_.push_back(cc_.newInt64());
  return words_[words_used_++];
}
x86::Xmm ScalarRegisters::float_word() {
  if (float_words_used_ == float_words_.size()) float_words_.push_back(cc_.newXmmSd());
  return float_words_[float_words_used_++];
}

void ScalarRegisters::end_instruction() { words_used_ = float_words_used_ = 0; }

x86::Gp ScalarRegisters::new_gp(Dtype dtype) { return register_size(dtype) == 8 ? word() : word().r32(); }

const x86::Reg& ScalarRegisters::home(Register r) {
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

void ScalarRegisters::hand_over(const loops::instruction::Scalar& i, unsigned operand) {
  const Register from = i.operands[operand];
  if (homes_[i.to].isValid() || !homes_[from].isValid() || dtype(i.to) != dtype(from)) return;
  homes_[i.to] = homes_[from];
  handed_over_ = from;
}

void ScalarRegisters::release(Register r) {
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

int64_t ScalarRegisters::integer_constant(Register r) const {
  switch (compute_of(dtype(r))) {
    case Compute::boolean: return static_cast<int64_t>(*constants_[r] & 1);
    case Compute::i32: return static_cast<int32_t>(*constants_[r]);
    default: return static_cast<int64_t>(*constants_[r]);
  }
}

x86::Gp ScalarRegisters::gp(Register r) {
  if (!is_constant(r)) return home(r).as<x86::Gp>();
  x86::Gp number = new_gp(dtype(r));
  cc_.mov(number, imm(integer_constant(r)));
  return number;
}

x86::Xmm ScalarRegisters::xmm(Register r) {
  if (!is_constant(r)) return home(r).as<x86::Xmm>();
  x86::Xmm number = float_word();
  cc_.emit(wide(r) ? Inst::kIdVmovsd : Inst::kIdVmovss, number, float_operand(r));
  return number;
}

Operand_ ScalarRegisters::integer_operand(Register r) {
  if (is_constant(r) && fits_immediate(integer_constant(r))) return imm(integer_constant(r));
  return gp(r);
}

Operand_ ScalarRegisters::float_operand(Register r) {
  if (is_constant(r)) return e_.constant(*constants_[r], register_size(dtype(r)));
  return xmm(r);
}

void ScalarRegisters::move(Register to, Register from) {
  if (to == from || handed_over_ == from) return;
  if (!is_float_register(to))
    cc_.emit(Inst::kIdMov, home(to), integer_operand(from));
  else if (is_constant(from))
    cc_.emit(wide(to) ? Inst::kIdVmovsd : Inst::kIdVmovss, home(to), float_operand(from));
  else
    cc_.emit(Inst::kIdVmovaps, home(to), home(from));
}

void ScalarRegisters::load_constant(Register to, uint64_t bits) {
  if (is_constant(to)) return;
  if (is_float_register(to)) {
    cc_.emit(wide(to) ? Inst::kIdVmovsd : Inst::kIdVmovss, home(to),
             e_.constant(register_bits(dtype(to), bits), register_size(dtype(to))));
  } else {
    const Dtype of = dtype(to);
    cc_.mov(home(to).as<x86::Gp>(), imm(of == Dtype::boolean ? static_cast<int64_t>(bits & 1) : integer_at(of, &bits)));
  }
}

}  // namespace covec::simd
