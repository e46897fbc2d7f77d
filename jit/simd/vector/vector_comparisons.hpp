// Emits comparisons of vectors; they give bools.
#pragma once

#include "jit/simd/vector/vector_request.hpp"

namespace covec::simd {

class VectorComparisons {
 public:
  VectorComparisons(Emitter& emitter, VectorRegisters& registers) : e_(emitter), cc_(emitter.cc), v_(registers) {}
  x86::Reg apply(const VectorRequest& r);

 private:
  x86::Reg integers(const VectorRequest& r);
  x86::Reg bools(const VectorRequest& r);

  Emitter& e_;
  x86::Compiler& cc_;
  VectorRegisters& v_;
};

}  // namespace covec::simd
