// Arrays of the lanes' own (loops::LaneArray). At an index that is the same in all lanes their elements lie side by
// side; elsewhere they are gathered and scattered. What makes and copies whole arrays is the runtime's.
#pragma once

#include "jit/simd/lanes/lane_elements.hpp"

namespace covec::simd {

class LaneArrays {
 public:
  LaneArrays(Emitter& emitter, const loops::LaneLoop& loop, const loops::Varying& varying, ScalarRegisters& scalars,
             VectorRegisters& vectors, LaneValues& values, LaneMemory& memory, LaneElements& elements,
             const LaneGroup& group)
      : e_(emitter),
        cc_(emitter.cc),
        loop_(loop),
        varying_(varying),
        r_(scalars),
        v_(vectors),
        values_(values),
        memory_(memory),
        elements_(elements),
        group_(group) {}

  void begin(x86::Gp record) { record_ = record; }  // of the function
  void begin_group();
  x86::Reg load(const loops::instruction::Element& i, x86::Reg active);
  // `all`: no lane of the group has gone another way.
  void store(const loops::instruction::SetElement& i, x86::Reg active, bool all);
  x86::Mem extent(const loops::instruction::Extent& i);
  void step(const loops::instruction::ArrayStep& i, x86::Reg active);

 private:
  x86::Gp array(uint32_t number);
  LanePlaces places(const loops::instruction::ElementPlace& i, Dtype dtype, x86::Reg active);
  x86::Mem row(const LanePlaces& at, Dtype dtype);

  Emitter& e_;
  x86::Compiler& cc_;
  const loops::LaneLoop& loop_;
  const loops::Varying& varying_;
  ScalarRegisters& r_;
  VectorRegisters& v_;
  LaneValues& values_;
  LaneMemory& memory_;
  LaneElements& elements_;
  const LaneGroup& group_;
  x86::Gp record_;
};

}  // namespace covec::simd
