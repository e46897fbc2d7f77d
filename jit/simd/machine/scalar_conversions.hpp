// Emits conversions of single numbers.
#pragma once

#include "jit/simd/machine/scalar_registers.hpp"

namespace covec::simd {

class ScalarConversions {
 public:
  ScalarConversions(Emitter& emitter, ScalarRegisters& registers) : e_(emitter), cc_(emitter.cc), r_(registers) {}
  void convert(const loops::instruction::Scalar& i);
  void cast_bits(const loops::instruction::Scalar& i);

 private:
  void wrap(const loops::instruction::Scalar& i);  // to a narrow integer
  void round_to_half(const loops::instruction::Scalar& i);
  void integer_to_float(const loops::instruction::Scalar& i);
  void float_to_bool(const loops::instruction::Scalar& i);
  void float_to_integer(const loops::instruction::Scalar& i);

  Emitter& e_;
  x86::Compiler& cc_;
  ScalarRegisters& r_;
};

}  // namespace covec::simd
