// Emits floor division and modulo of integers. Division by a constant needs no divide instruction: it takes bits for a
// power of two, else the high half of a product. Rounding is toward minus infinity. With s all ones where a < 0:
// floor(a / d) = ((a ^ s) / d) ^ s for d > 0, where a ^ s ≥ 0.
#pragma once

#include "jit/simd/machine/scalar_registers.hpp"

namespace covec::simd {

class ScalarDivision {
 public:
  ScalarDivision(Emitter& emitter, ScalarRegisters& registers) : e_(emitter), cc_(emitter.cc), r_(registers) {}
  void apply(const loops::instruction::Scalar& i);

 private:
  using Scalar = loops::instruction::Scalar;
  bool by_constant(const Scalar& i);
  void by_power(const Scalar& i, int power);
  void by_positive(const Scalar& i, int64_t divisor);
  void by_any(const Scalar& i);
  void signed_quotient(const Scalar& i, x86::Gp a, x86::Gp b, x86::Gp result);
  void small_quotient(const Scalar& i, x86::Gp a, x86::Gp b, x86::Gp result);

  Emitter& e_;
  x86::Compiler& cc_;
  ScalarRegisters& r_;
};

}  // namespace covec::simd
