// Holds the values of a kernel's vectors while its body is emitted. Each is loaded or broadcast at its first use.
#pragma once

#include "jit/simd/vector/kernel_plan.hpp"
#include "jit/simd/vector/vector_memory.hpp"

namespace covec::simd {

// What the parts of a kernel know of its loop.
struct KernelLoop {
  x86::Gp output_array, input_array, n, numbers;  // the arguments
  std::vector<x86::Gp> outputs, inputs;           // of inputs that are not uniform
  x86::Gp i;                                      // the element that the vector begins at
  x86::Gp tail;                // AVX2: how many elements are in bounce buffers, in the last iteration
  x86::Gp base, active_lanes;  // AVX2: where the elements in bounce buffers belong; lanes as bits
  x86::KReg active;            // AVX-512: the lanes that are there
  bool masked = false;         // only those are
};

class KernelValues {
 public:
  KernelValues(Emitter& emitter, const loops::Kernel& kernel, const KernelPlan& plan, KernelLoop& loop,
               VectorRegisters& registers);
  void keep_uniform_values();  // before the loops
  // Of the vectors that are computed side by side, the one that is asked for from here on.
  void select(int vector) { vector_ = vector; }
  int vector() const { return vector_; }

  x86::Reg value(uint32_t k);
  // In a register that may be written, once instruction `last` has been emitted.
  x86::Reg own_copy(uint32_t k, uint32_t last);
  Operand_ operand(uint32_t k, bool may_be_memory);
  bool in_memory(uint32_t k) const;
  bool dies(uint32_t k, uint32_t at) const;
  x86::Mem element(x86::Gp base, Dtype dtype) const;
  void give(uint32_t k, x86::Reg reg);
  // How many have a register since the body's begin; those from a number on lose theirs.
  size_t mark() const { return given_.size(); }
  void forget(size_t from);

 private:
  x86::Reg load(uint32_t k);
  x86::Reg spread(uint32_t k);
  x86::Mem only_element(uint32_t k);
  size_t place(uint32_t k) const { return plan_.kept[k] ? k : static_cast<size_t>(vector_) * kernel_.code.size() + k; }

  Emitter& e_;
  x86::Compiler& cc_;
  const loops::Kernel& kernel_;
  const KernelPlan& plan_;
  KernelLoop& loop_;
  VectorRegisters& v_;
  VectorMemory memory_;
  int vector_ = 0;
  std::vector<x86::Reg> registers_;  // of the values of each vector: place()
  std::vector<bool> has_register_;
  std::vector<size_t> given_;          // places, in order, since the body's begin
  std::vector<x86::Mem> only_places_;  // of uniform inputs that are not kept: their element's copy on the stack
};

}  // namespace covec::simd
