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
  void apply(const loops::instruction::Scalar& i, const loops::instruction::Scalar* compare = nullptr);
  // Jumps where a comparison gives `when`.
  void jump_on_compare(const loops::instruction::Scalar& compare, bool when, Label to);

 private:
  using Scalar = loops::instruction::Scalar;

  // Compares, and says when the result holds: on `condition`, and, or, with the parity flag, which a NaN sets.
  struct Flags {
    enum class Parity : uint8_t { any, and_not, or_set };
    x86::CondCode condition;
    Parity parity = Parity::any;
  };
  Flags compare(const Scalar& i);

  void float_arithmetic(InstId id, const Scalar& i);
  void fused(const Scalar& i);
  void rounded(const Scalar& i, int mode);
  void negated_float(const Scalar& i);
  void integer_arithmetic(InstId id, const Scalar& i);
  void multiplied(const Scalar& i);
  void square_root(const Scalar& i);
  void unary(InstId id, const Scalar& i);
  void inverted(const Scalar& i);
  void shifted(const Scalar& i);
  void compared(const Scalar& i);
  void compared_floats(const Scalar& i);
  void selected(const Scalar& i, const Scalar* compare);
  void selected_float(const Scalar& i, const Scalar* compare);
  x86::Xmm blend_mask(const Scalar& i, const Scalar* compare);
  void helped(const Scalar& i);

  Emitter& e_;
  x86::Compiler& cc_;
  ScalarRegisters& r_;
  ScalarDivision division_;
  ScalarConversions conversions_;
  x86::Mem places_[2];  // operands of helpers, on the stack
};

}  // namespace covec::simd
