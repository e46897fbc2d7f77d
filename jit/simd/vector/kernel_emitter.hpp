// Emits a kernel as machine code: a loop over vectors of adjacent elements.
//
//     AVX-512   [a loop over several whole vectors, side by side, where registers allow] then one over vectors whose
//               loads and stores are masked: all lanes, in the last vector the lanes that there are
//     AVX2      [the same] then one over whole vectors; the elements that are left are copied to the stack, computed
//               there, and copied back
//
// Loads and constants are emitted where they are first used. The trade-off: whole and last vectors share one body. This
// keeps code and compile time short at the cost of a few idle masks.
#pragma once

#include "jit/simd/vector/kernel_body.hpp"

namespace covec::simd {

class KernelEmitter {
 public:
  KernelEmitter(Emitter& emitter, const loops::Kernel& kernel);
  asmjit::FuncNode* function();  // null where asmjit failed

 private:
  void arguments(asmjit::FuncNode* function);
  void loop_of_several();
  void loop_of_one();
  void go_on(Label done);
  void mask_the_last(x86::Gp rest);
  void bounce_in(x86::Gp rest);
  void bounce_out();
  void copy_elements(x86::Gp to, x86::Gp from, x86::Gp count, size_t size);

  Emitter& e_;
  x86::Compiler& cc_;
  const loops::Kernel& kernel_;
  KernelPlan plan_;
  KernelLoop loop_;
  VectorRegisters registers_;
  KernelValues values_;
  KernelBody body_;
  x86::Gp limit_;  // the last loop_.i of a whole vector
  std::vector<x86::Mem> bounce_inputs_, bounce_outputs_;
};

}  // namespace covec::simd
