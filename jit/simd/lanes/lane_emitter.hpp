// Emits a lane loop: a function that computes iterations side by side, one in each lane of vectors. It is one walk over
// the code of an iteration. What is the same in all lanes is computed by scalar instructions. Where lanes part, a mask
// says which are active: both ways of a branch are taken one after the other, a loop goes on until no lane is left in
// it, and a register keeps what it has in lanes that are not active. Where any lane fails, the function gives up before
// the lanes that it has begun. Start at function().
#pragma once

#include "jit/simd/lanes/lane_arrays.hpp"
#include "jit/simd/lanes/lane_control.hpp"
#include "jit/simd/lanes/lane_halves.hpp"
#include "jit/simd/lanes/lane_stacks.hpp"
#include "jit/simd/machine/scalar_operations.hpp"

namespace covec::simd {

class LaneEmitter {
 public:
  LaneEmitter(Emitter& emitter, const loops::LaneLoop& loop);
  asmjit::FuncNode* function();  // null where asmjit failed

 private:
  asmjit::FuncNode* begin();
  void head();
  void begin_group();
  void poll(size_t instructions);  // of an iteration
  void emit(const loops::Instruction& i, size_t at);
  void scalar(const loops::instruction::Scalar& i, size_t at);
  x86::Reg lanes_of(const loops::instruction::Scalar& i, size_t at);
  void move(const loops::instruction::Move& i, size_t at);
  void element(const loops::instruction::Element& i, size_t at);
  void constant(const loops::instruction::Constant& i, size_t at);
  void load(const loops::instruction::Load& i, size_t at);
  void extent(const loops::instruction::Extent& i, size_t at);

  Emitter& e_;
  x86::Compiler& cc_;
  const loops::LaneLoop& loop_;
  const loops::Varying& varying_;
  const LaneHalves halves_;
  ScalarRegisters r_;
  ScalarOperations s_;
  RuntimeCalls calls_;
  ScalarMemory memory_;
  SlotEmitter slots_;
  ViewEmitter views_;
  VectorRegisters v_;
  VectorOperations ops_;
  LaneValues values_;
  LaneControl control_;
  LaneMemory lane_memory_;
  LaneGroup group_;
  LaneElements elements_;
  LaneStacks stacks_;
  LaneArrays arrays_;
  x86::Gp limit_, budget_;  // the iteration to end at; rounds until the interrupt word is looked at
};

}  // namespace covec::simd
