// Manages the registers of a function that is being emitted. Integers and bools are in general registers, floats in the
// low element of vector registers. A register of the loop program that only holds one constant gets no machine
// register. It is an immediate operand, or lies behind the code. Start at machine_register().
#pragma once

#include <optional>
#include <vector>

#include "jit/simd/machine/emitter.hpp"

namespace covec::simd {

class ScalarRegisters {
 public:
  ScalarRegisters(Emitter& emitter, const loops::Code& code);

  void set_constant(loops::Register r, uint64_t bits) { constants_[r] = register_bits(dtype(r), bits); }
  bool is_constant(loops::Register r) const { return constants_[r].has_value(); }
  bool is_zero(loops::Register r) const { return constants_[r] == 0; }  // +0
  int64_t integer_constant(loops::Register r) const;
  Dtype dtype(loops::Register r) const { return code_.registers[r]; }
  bool wide(loops::Register r) const { return register_size(dtype(r)) == 8; }
  bool is_float_register(loops::Register r) const { return is_float(dtype(r)); }

  const x86::Reg& machine_register(loops::Register r);  // where r lives, if it is no constant
  x86::Gp target(const loops::instruction::Scalar& i) { return machine_register(i.to).as<x86::Gp>(); }
  x86::Xmm target_xmm(const loops::instruction::Scalar& i) { return machine_register(i.to).as<x86::Xmm>(); }
  // The register that r lives in; of a constant: one with it.
  x86::Gp gp(loops::Register r);
  x86::Xmm xmm(loops::Register r);
  // Operands of integer and of float instructions: an immediate or memory where it is a constant.
  Operand_ integer_operand(loops::Register r);
  Operand_ float_operand(loops::Register r);
  void move(loops::Register to, loops::Register from);
  void load_constant(loops::Register to, uint64_t bits);

  // Registers for what is in between, until the end of the instruction that is being emitted.
  x86::Gp word();
  x86::Gp new_gp(Dtype dtype);  // as wide as the dtype
  x86::Xmm float_word();
  void end_instruction();
  void release(loops::Register r);  // is not needed any more: another may have its place
  // Of an operand that the instruction being emitted uses last: the result takes its place at once, where it is only
  // changed. (Of two-operand instructions and fma.)
  void reuse_operand(const loops::instruction::Scalar& i, unsigned operand);

 private:
  Emitter& e_;
  x86::Compiler& cc_;
  const loops::Code& code_;
  std::vector<x86::Reg> machine_registers_, free_registers_, free_float_registers_;
  std::optional<loops::Register> reused_operand_;  // whose place another has already
  std::vector<x86::Gp> words_;
  std::vector<x86::Xmm> float_words_;
  size_t words_used_ = 0, float_words_used_ = 0;
  std::vector<std::optional<uint64_t>> constants_;
};

}  // namespace covec::simd
