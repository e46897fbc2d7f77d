// Emits scalar operations on the registers of a function. Arithmetic, comparisons and selects are here; the rest has
// parts of its own.
#pragma once

#include "jit/simd/machine/scalar_conversions.hpp"
#include "jit/simd/machine/scalar_division.hpp"

namespace covec::simd {

class ScalarOperations {
 public:
  ScalarOperations(Emitter& emitter, ScalarRegisters& registers)
      : e_(emitter), cc_(emitter.cc), r_(registers), division_(emitter, registers), conversions_(emitter, registers) {}

  // `compare`: the comparison that makes the condition of the select i, where it was not emitted for itself.
  void apply(const loops::Instruction& i, const loops::Instruction* compare = nullptr);
  // Jumps where a comparison gives `when`.
  void jump_on_compare(const loops::Instruction& compare, bool when, Label to);

 private:
  using Instruction = loops::Instruction;

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
  void helped(const Instruction& i);

  Emitter& e_;
  x86::Compiler& cc_;
  ScalarRegisters& r_;
  ScalarDivision division_;
  ScalarConversions conversions_;
  x86::Mem places_[2];  // operands of helpers, on the stack
};

}  // namespace covec::simd
