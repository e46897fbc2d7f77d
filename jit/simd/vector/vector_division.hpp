// Emits floor division and modulo of integers, and the exact float remainder, on vectors. There is no instruction for
// them, but division of floats is exact enough. Where an integer quotient is less than 2^52, rounding to a float may
// reach the next integer but never passes it. Larger values are computed lane by lane, out of line.
#pragma once

#include "jit/simd/vector/lane_calls.hpp"

namespace covec::simd {

class VectorDivision {
 public:
  VectorDivision(Emitter& emitter, VectorRegisters& registers, LaneCalls& lanes)
      : e_(emitter), cc_(emitter.cc), v_(registers), lanes_(lanes) {}
  x86::Reg of_i32(const VectorRequest& r);
  x86::Reg of_i64(const VectorRequest& r);
  x86::Reg remainder(const VectorRequest& r);

 private:
  x86::Vec quotients_of_i32(x86::Vec a, x86::Vec b, unsigned wide);
  x86::Vec upper_half(x86::Vec v);
  x86::Reg zero_where_zero(x86::Reg number, x86::Reg divisor, Dtype dtype);
  void jump_where_large(x86::Reg a, x86::Reg b, Label large);
  x86::Reg small_i64_to_f64(x86::Reg n);
  x86::Reg small_f64_to_i64(x86::Reg x);
  void jump_where_no_remainder(x86::Reg quotient, x86::Reg rest, Dtype dtype, Label other);
  void add_where_negative(x86::Reg number, x86::Reg what, Dtype dtype);

  Emitter& e_;
  x86::Compiler& cc_;
  VectorRegisters& v_;
  LaneCalls& lanes_;
};

}  // namespace covec::simd
