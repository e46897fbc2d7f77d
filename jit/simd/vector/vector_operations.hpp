// Emits scalar operations on vectors: one request gives the instructions for all lanes. Arithmetic, selects, bits and
// shifts are here; the rest has parts of its own. The trade-off: if an instruction set has no instruction for an
// operation, it is composed of others, or done lane by lane.
#pragma once

#include "jit/simd/vector/lane_calls.hpp"
#include "jit/simd/vector/vector_conversions.hpp"
#include "jit/simd/vector/vector_division.hpp"

namespace covec::simd {

class VectorOperations {
 public:
  VectorOperations(Emitter& emitter, VectorRegisters& registers)
      : e_(emitter),
        cc_(emitter.cc),
        v_(registers),
        lanes_(emitter, registers),
        comparisons_(emitter, registers),
        division_(emitter, registers, lanes_),
        conversions_(emitter, registers, comparisons_) {}

  x86::Reg apply(const VectorRequest& r);
  bool may_be_memory(const VectorRequest& r) const;
  bool keeps_or_clears(const VectorRequest& r) const;  // operand 1 is not looked at
  bool knows_constant(const VectorRequest& r) const;   // the last operand is not looked at: a constant says all

 private:
  static std::optional<uint64_t> power_of_two(const VectorRequest& r);
  x86::Reg divided(const VectorRequest& r);
  x86::Reg rounded(const VectorRequest& r, int mode);
  x86::Reg negated(const VectorRequest& r);
  x86::Reg multiplied(const VectorRequest& r);
  x86::Reg fused(const VectorRequest& r);
  x86::Reg selected(const VectorRequest& r);
  x86::Reg bitwise(const VectorRequest& r);
  x86::Reg inverted(const VectorRequest& r);
  x86::Reg shifted(const VectorRequest& r);
  x86::Reg shifted_arithmetic(const VectorRequest& r);
  x86::Reg shifted_by(InstId id, const VectorRequest& r, unsigned amount);

  Emitter& e_;
  x86::Compiler& cc_;
  VectorRegisters& v_;
  LaneCalls lanes_;
  VectorComparisons comparisons_;
  VectorDivision division_;
  VectorConversions conversions_;
};

}  // namespace covec::simd
