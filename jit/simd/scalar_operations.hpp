// Scalar operations on the registers of a function: integers and bools in general registers, floats in the low element
// of vector registers. Registers that only ever hold one constant have no register: they are immediate operands, or lie
// behind the code.
#pragma once

#include <optional>
#include <vector>

#include "jit/simd/emitter.hpp"

namespace covec::simd {

class ScalarOperations {
 public:
  ScalarOperations(Emitter& emitter, const loops::Code& code);

  void set_constant(loops::Register r, uint64_t bits) { constants_[r] = bits; }
  bool is_constant(loops::Register r) const { return constants_[r].has_value(); }
  int64_t integer_constant(loops::Register r) const;
  Dtype dtype(loops::Register r) const { return code_.registers[r]; }

  // `compare`: the comparison that makes the condition of the select i, where it was not emitted for itself.
  void apply(const loops::Instruction& i, const loops::Instruction* compare = nullptr);
  void move(loops::Register to, loops::Register from);
  void load_constant(loops::Register to, uint64_t bits);

  const x86::Reg& home(loops::Register r);  // where r lives, if it is no constant
  // The register that r lives in; of a constant: one with it.
  x86::Gp gp(loops::Register r);
  x86::Xmm xmm(loops::Register r);
  // Operands of integer and of float instructions: an immediate or memory where it is a constant.
  Operand_ integer_operand(loops::Register r);
  Operand_ float_operand(loops::Register r);
  // Registers for what is in between, until the end of the instruction that is being emitted.
  x86::Gp word();
  x86::Xmm float_word();
  void end_instruction();
  void release(loops::Register r);  // is not needed any more: another may have its place
  // Of an operand that the instruction being emitted uses last: the result takes its place at once, where it is only
  // changed. (Of two-operand instructions and fma.)
  void hand_over(const loops::Instruction& i, unsigned operand);

  // Jumps where a comparison gives `when`.
  void jump_on_compare(const loops::Instruction& compare, bool when, Label to);

 private:
  using Instruction = loops::Instruction;
  using Register = loops::Register;
  bool wide(Register r) const { return size_of(dtype(r)) == 8; }
  bool is_float_register(Register r) const { return is_float(dtype(r)); }
  x86::Gp target(const Instruction& i) { return home(i.to).as<x86::Gp>(); }
  x86::Xmm target_xmm(const Instruction& i) { return home(i.to).as<x86::Xmm>(); }

  // Compares, and says when the result holds: on `condition`, and, or, with the parity flag, which a NaN sets.
  struct Flags {
    enum class Parity : uint8_t { any, and_not, or_set };
    x86::CondCode condition;
    Parity parity = Parity::any;
  };
  Flags compare(const Instruction& i);

  void float_arithmetic(InstId id, const Instruction& i);
  void fused(const Instruction& i);
  void rounded(const Instruction& i, int mode);
  void negated_float(const Instruction& i);
  void integer_arithmetic(InstId id, const Instruction& i);
  void multiplied(const Instruction& i);
  void square_root(const Instruction& i);
  void unary(InstId id, const Instruction& i);
  void inverted(const Instruction& i);
  void shifted(const Instruction& i);
  void compared(const Instruction& i);
  void compared_floats(const Instruction& i);
  void selected(const Instruction& i, const Instruction* compare);
  void selected_float(const Instruction& i, const Instruction* compare);
  x86::Xmm blend_mask(const Instruction& i, const Instruction* compare);
  void divided(const Instruction& i);
  bool divided_by_constant(const Instruction& i);
  void divided_by_power(const Instruction& i, int power);
  void divided_by_positive(const Instruction& i, int64_t divisor);
  void divided_by_any(const Instruction& i);
  void divided_signed(const Instruction& i, x86::Gp a, x86::Gp b, x86::Gp result);
  void divided_small(const Instruction& i, x86::Gp a, x86::Gp b, x86::Gp result);
  void helped(const Instruction& i);
  void bits_cast(const Instruction& i);
  void converted(const Instruction& i);
  void integer_to_float(const Instruction& i);
  void float_to_bool(const Instruction& i);
  void float_to_integer(const Instruction& i);

  x86::Gp new_gp(Dtype dtype);

  Emitter& e_;
  x86::Compiler& cc_;
  const loops::Code& code_;
  std::vector<x86::Reg> homes_, free_homes_, free_float_homes_;
  std::optional<loops::Register> handed_over_;  // whose place another has already
  std::vector<x86::Gp> words_;
  std::vector<x86::Xmm> float_words_;
  size_t words_used_ = 0, float_words_used_ = 0;
  x86::Mem places_[2];  // operands of helpers, on the stack
  std::vector<std::optional<uint64_t>> constants_;
};

}  // namespace covec::simd
