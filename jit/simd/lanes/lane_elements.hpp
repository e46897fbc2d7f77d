// Elements of tensors, one for each lane. Where an active lane has an index out of range, the lanes fail.
#pragma once

#include "jit/simd/lanes/lane_memory.hpp"
#include "jit/simd/machine/view_emitter.hpp"
#include "jit/simd/vector/vector_operations.hpp"

namespace covec::simd {

// The lanes that are computed now.
struct LaneGroup {
  x86::Gp first, end;  // iterations: that in the first lane, and the one behind the last
  Label fail;
};

class LaneElements {
 public:
  LaneElements(Emitter& emitter, const loops::LaneLoop& loop, const loops::Varying& varying, ScalarRegisters& scalars,
               ViewEmitter& views, VectorRegisters& vectors, VectorOperations& operations, LaneValues& values,
               LaneMemory& memory, const LaneGroup& group)
      : e_(emitter),
        cc_(emitter.cc),
        loop_(loop),
        varying_(varying),
        r_(scalars),
        views_(views),
        v_(vectors),
        ops_(operations),
        values_(values),
        memory_(memory),
        group_(group) {}

  x86::Reg load(const loops::instruction::Element& i, x86::Reg active);
  void store(const loops::instruction::SetElement& i, x86::Reg active);

  // An index that differs between lanes, from the front.
  x86::Reg in_range(loops::Register index, const x86::Gp& extent, x86::Reg active);
  x86::Reg product(x86::Reg a, x86::Reg b);  // of i64s
  x86::Reg sum(x86::Reg a, x86::Reg b);

 private:
  LanePlaces places(const loops::instruction::ElementPlace& i, Dtype dtype, bool writes, x86::Reg active);
  x86::Gp of_iterations(const ViewEmitter::Seen& seen, size_t axis);
  x86::Reg below(x86::Reg numbers, x86::Reg extent);

  Emitter& e_;
  x86::Compiler& cc_;
  const loops::LaneLoop& loop_;
  const loops::Varying& varying_;
  ScalarRegisters& r_;
  ViewEmitter& views_;
  VectorRegisters& v_;
  VectorOperations& ops_;
  LaneValues& values_;
  LaneMemory& memory_;
  const LaneGroup& group_;
};

}  // namespace covec::simd
