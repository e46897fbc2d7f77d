#include "jit/simd/machine/scalar_registers.hpp"

namespace covec::simd {

using loops::Register;

namespace {

bool fits_immediate(int64_t number) { return number == static_cast<int32_t>(number); }

}  // namespace

ScalarRegisters::ScalarRegisters(Emitter& emitter, const loops::Code& code)
    : e_(emitter),
      cc_(emitter.cc),
      code_(code),
      machine_registers_(code.registers.size()),
      constants_(code.registers.size()) {}

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

const x86::Reg& ScalarRegisters::machine_register(Register r) {
  if (machine_registers_[r].isValid()) return machine_registers_[r];
  std::vector<x86::Reg>& free = is_float_register(r) ? free_float_registers_ : free_registers_;
  if (!free.empty()) {
    machine_registers_[r] = free.back();
    free.pop_back();
  } else if (is_float_register(r)) {
    machine_registers_[r] = cc_.newXmmSd();
  } else {
    machine_registers_[r] = cc_.newInt64();
  }
  if (!is_float_register(r) && !wide(r)) machine_registers_[r] = machine_registers_[r].as<x86::Gp>().r32();
  return machine_registers_[r];
}

void ScalarRegisters::reuse_operand(const loops::instruction::Scalar& i, unsigned operand) {
  const Register from = i.operands[operand];
  if (machine_registers_[i.to].isValid() || !machine_registers_[from].isValid() || dtype(i.to) != dtype(from)) return;
  machine_registers_[i.to] = machine_registers_[from];
  reused_operand_ = from;
}

void ScalarRegisters::release(Register r) {
  if (!machine_registers_[r].isValid()) return;
  if (reused_operand_ == r) {
    machine_registers_[r].reset();
    reused_operand_.reset();
    return;
  }
  if (is_float_register(r))
    free_float_registers_.push_back(machine_registers_[r]);
  else
    free_registers_.push_back(machine_registers_[r].as<x86::Gp>().r64());
  machine_registers_[r].reset();
}

int64_t ScalarRegisters::integer_constant(Register r) const {
  switch (compute_of(dtype(r))) {
    case Compute::boolean: return static_cast<int64_t>(*constants_[r] & 1);
    case Compute::i32: return static_cast<int32_t>(*constants_[r]);
    default: return static_cast<int64_t>(*constants_[r]);
  }
}

x86::Gp ScalarRegisters::gp(Register r) {
  if (!is_constant(r)) return machine_register(r).as<x86::Gp>();
  x86::Gp number = new_gp(dtype(r));
  cc_.mov(number, imm(integer_constant(r)));
  return number;
}

x86::Xmm ScalarRegisters::xmm(Register r) {
  if (!is_constant(r)) return machine_register(r).as<x86::Xmm>();
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
  if (to == from || reused_operand_ == from) return;
  if (!is_float_register(to))
    cc_.emit(Inst::kIdMov, machine_register(to), integer_operand(from));
  else if (is_constant(from))
    cc_.emit(wide(to) ? Inst::kIdVmovsd : Inst::kIdVmovss, machine_register(to), float_operand(from));
  else
    cc_.emit(Inst::kIdVmovaps, machine_register(to), machine_register(from));
}

void ScalarRegisters::load_constant(Register to, uint64_t bits) {
  if (is_constant(to)) return;
  if (is_float_register(to)) {
    cc_.emit(wide(to) ? Inst::kIdVmovsd : Inst::kIdVmovss, machine_register(to),
             e_.constant(register_bits(dtype(to), bits), register_size(dtype(to))));
  } else {
    const Dtype of = dtype(to);
    cc_.mov(machine_register(to).as<x86::Gp>(),
            imm(of == Dtype::boolean ? static_cast<int64_t>(bits & 1) : integer_at(of, &bits)));
  }
}

}  // namespace covec::simd
