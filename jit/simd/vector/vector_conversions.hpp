// Emits conversions between dtypes. In float to integer, the hardware gives the smallest integer for every value that
// does not fit, NaN included. The code around it corrects this to the language's result.
#pragma once

#include "jit/simd/vector/vector_comparisons.hpp"

namespace covec::simd {

class VectorConversions {
 public:
  VectorConversions(Emitter& emitter, VectorRegisters& registers, VectorComparisons& comparisons)
      : e_(emitter), cc_(emitter.cc), v_(registers), comparisons_(comparisons) {}
  x86::Reg apply(const VectorRequest& r);

 private:
  x86::Reg from_bool(const VectorRequest& r);
  x86::Reg to_bool(const VectorRequest& r);
  x86::Reg widened(const VectorRequest& r);
  x86::Reg between_floats_and_integers(const VectorRequest& r);
  x86::Reg saturated(const VectorRequest& r);
  x86::Reg saturated_by_clamp(const VectorRequest& r);
  x86::Reg i64_to_f64(x86::Vec a);
  x86::Reg i64_to_f32(x86::Vec a);
  x86::Reg f64_to_i64_lanes(x86::Vec a);

  Emitter& e_;
  x86::Compiler& cc_;
  VectorRegisters& v_;
  VectorComparisons& comparisons_;
};

}  // namespace covec::simd
