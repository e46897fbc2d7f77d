// A kernel as machine code: a loop over vectors of adjacent elements.
//
//     AVX-512   [a loop over several whole vectors, side by side, where registers allow] then one over vectors whose
//               loads and stores are masked: all lanes, in the last vector the lanes that there are
//     AVX2      [the same] then one over whole vectors; the elements that are left are copied to the stack, computed
//               there, and copied back
//
// Loads and constants are emitted where they are first used. The trade-off: one body for whole and for last vectors
// keeps code and compile time short at the cost of a few idle masks.
#pragma once

#include "jit/simd/kernel_plan.hpp"
#include "jit/simd/vector_operations.hpp"

namespace covec::simd {

class KernelEmitter {
 public:
  KernelEmitter(Emitter& emitter, const loops::Kernel& kernel);
  asmjit::FuncNode* function();  // null where asmjit failed

 private:
  using Kind = loops::KernelInstruction::Kind;

  // the loops
  void arguments(asmjit::FuncNode* function);
  void keep_uniform_values();
  void loop_of_several();
  void loop_of_one();
  void go_on(Label done);
  void mask_the_last(x86::Gp rest);
  void bounce_in(x86::Gp rest);
  void bounce_out();
  void copy_elements(x86::Gp to, x86::Gp from, x86::Gp count, size_t size);

  // one vector
  void body(int vectors);
  void range(uint32_t begin, uint32_t end);
  void scalar(uint32_t k);
  void rare(uint32_t k);
  void outlined(uint32_t k);
  x86::Mem outlined_area(size_t offset, unsigned bytes) const;
  void check_failures();
  template <class F>
  void each_vector(F emit);
  void test_any(x86::Reg condition);
  void store_outputs();
  void store_bool(x86::Mem to, x86::Reg value);
  void store_bool_as_bytes(x86::Mem to, x86::Reg value);

  // values
  x86::Reg value(uint32_t k);
  x86::Reg own_copy(uint32_t k, uint32_t last);
  Operand_ last_operand(uint32_t k, const VectorRequest& request);
  bool in_memory(uint32_t k) const;
  bool dies(uint32_t k, uint32_t at) const;
  x86::Reg load(uint32_t k);
  x86::Reg load_bool(x86::Mem from);
  x86::Reg spread(uint32_t k);
  x86::Reg spread_bool(x86::Mem byte);
  x86::Mem element(x86::Gp base, Dtype dtype) const;
  x86::Mem only_element(uint32_t k);
  void give(uint32_t k, x86::Reg reg);
  size_t place(uint32_t k) const { return plan_.kept[k] ? k : static_cast<size_t>(vector_) * kernel_.code.size() + k; }

  Emitter& e_;
  x86::Compiler& cc_;
  const loops::Kernel& kernel_;
  KernelPlan plan_;
  VectorOperations v_;

  x86::Gp output_array_, input_array_, n_, numbers_;
  std::vector<x86::Gp> outputs_, inputs_;  // of inputs that are not uniform
  x86::Gp i_;                              // the element that the vector begins at
  x86::Gp limit_;                          // the last i_ of a whole vector
  x86::Gp tail_, base_, active_lanes_;     // AVX2: elements in the bounce buffers, where they belong; lanes as bits
  x86::KReg active_;                       // AVX-512: the lanes that are there
  std::vector<x86::Mem> bounce_inputs_, bounce_outputs_;
  bool masked_ = false;
  int vector_ = 0;                          // which of those side by side is being emitted
  int first_vector_ = 0, last_vector_ = 1;  // those that range() emits

  std::vector<x86::Reg> registers_;  // of the values of each vector: place()
  std::vector<bool> has_register_;
  std::vector<size_t> given_;          // places, in order, since the body's begin
  std::vector<x86::Mem> only_places_;  // of uniform inputs that are not kept: their element's copy on the stack
};

}  // namespace covec::simd
