// Emits conversions of single numbers.
#pragma once

#include "jit/simd/machine/scalar_registers.hpp"

namespace covec::simd {

class ScalarConversions {
 public:
  ScalarConversions(Emitter& emitter, ScalarRegisters& registers) : e_(emitter), cc_(emitter.cc), r_(registers) {}
  void convert(const loops::Instruction& i);
  void cast_bits(const loops::Instruction& i);

 private:
  void wrap(const loops::Instruction& i);  // to a narrow integer
  void round_to_half(const loops::Instruction& i);
  void integer_to_float(const loops::Instruction& i);
  void float_to_bool(const loops::Instruction& i);
  void float_to_integer(const loops::Instruction& i);

  Emitter& e_;
  x86::Compiler& cc_;
  ScalarRegisters& r_;
};

}  // namespace covec::simd
