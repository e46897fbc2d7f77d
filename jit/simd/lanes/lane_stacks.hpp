// Stacks of numbers in lanes. A row has a word for each lane. Where all lanes push and pop at the same time, a row is
// written and read at once; numbers that are the same in all lanes take one word of it. Elsewhere each lane has its own
// depth. Start at push() and pop().
#pragma once

#include "jit/simd/lanes/lane_elements.hpp"

namespace covec::simd {

class LaneStacks {
 public:
  LaneStacks(Emitter& emitter, const loops::LaneLoop& loop, const loops::Varying& varying, ScalarRegisters& scalars,
             ScalarMemory& numbers, VectorRegisters& vectors, VectorOperations& operations, LaneValues& values,
             LaneMemory& memory, const LaneGroup& group)
      : e_(emitter),
        cc_(emitter.cc),
        varying_(varying),
        r_(scalars),
        numbers_(numbers),
        v_(vectors),
        ops_(operations),
        values_(values),
        memory_(memory),
        group_(group),
        depths_(loop.stacks) {}

  void begin(x86::Gp record);  // of the function
  void begin_group();
  void push(const loops::instruction::PushNumber& i, x86::Reg active);
  void pop(const loops::instruction::PopNumber& i, size_t at, x86::Reg active);
  void end_group();  // they are empty, or the lanes fail

 private:
  // What the stack has, in words: of all lanes, or of each, from its own first word on.
  struct Depth {
    x86::Gp of_all = {};
    x86::Reg of_each = {};
  };
  x86::Gp stack(uint32_t number);
  void require_room(uint32_t number, const x86::Gp& stack, x86::Reg active);
  void require_some(uint32_t number, x86::Reg active);
  void step(uint32_t number, x86::Reg active, int rows);
  LanePlaces places(uint32_t number, const x86::Gp& stack);
  x86::Mem row(uint32_t number, const x86::Gp& stack);

  Emitter& e_;
  x86::Compiler& cc_;
  const loops::Varying& varying_;
  ScalarRegisters& r_;
  ScalarMemory& numbers_;
  VectorRegisters& v_;
  VectorOperations& ops_;
  LaneValues& values_;
  LaneMemory& memory_;
  const LaneGroup& group_;
  x86::Gp record_;
  std::vector<Depth> depths_;
};

}  // namespace covec::simd
