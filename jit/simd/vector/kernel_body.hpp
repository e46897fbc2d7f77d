// Emits a kernel's body for one vector, or for several side by side: its values in the order of the code, failures,
// stores.
#pragma once

#include "jit/simd/vector/kernel_values.hpp"
#include "jit/simd/vector/vector_operations.hpp"

namespace covec::simd {

class KernelBody {
 public:
  KernelBody(Emitter& emitter, const loops::Kernel& kernel, const KernelPlan& plan, KernelLoop& loop,
             VectorRegisters& registers, KernelValues& values)
      : e_(emitter),
        cc_(emitter.cc),
        kernel_(kernel),
        plan_(plan),
        loop_(loop),
        v_(registers),
        memory_(emitter, registers),
        ops_(emitter, registers),
        values_(values) {}
  void emit(int vectors);

 private:
  void range(uint32_t begin, uint32_t end);
  void scalar(uint32_t k);
  void rare(uint32_t k);
  bool is_further_result(uint32_t k) const;
  void outlined(uint32_t k);
  x86::Mem outlined_area(size_t offset, unsigned bytes) const;
  template <class F>
  void each_vector(F emit);
  void test_any(x86::Reg condition);
  void check_failures();
  void check_lanes();
  void store_outputs();

  Emitter& e_;
  x86::Compiler& cc_;
  const loops::Kernel& kernel_;
  const KernelPlan& plan_;
  KernelLoop& loop_;
  VectorRegisters& v_;
  VectorMemory memory_;
  VectorOperations ops_;
  KernelValues& values_;
  int first_vector_ = 0, last_vector_ = 1;  // those that range() emits
};

}  // namespace covec::simd
