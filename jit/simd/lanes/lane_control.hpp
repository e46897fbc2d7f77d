// Branches and loops of lanes. Where lanes part, a mask says which are active: both ways of a branch are taken one
// after the other, and a loop goes on until no lane is left in it.
#pragma once

#include <algorithm>

#include "jit/simd/lanes/lane_values.hpp"

namespace covec::simd {

class LaneControl {
 public:
  LaneControl(Emitter& emitter, const loops::Varying& varying, ScalarRegisters& scalars, VectorRegisters& vectors,
              LaneValues& values)
      : e_(emitter), cc_(emitter.cc), varying_(varying), r_(scalars), v_(vectors), values_(values) {}

  // The lanes that are active where code is emitted.
  x86::Reg active() const { return active_; }
  // Lanes may have gone different ways there.
  bool is_parted() const { return std::ranges::any_of(blocks_, &Block::parts); }
  void begin_group(x86::Reg active) { active_ = active; }
  void open_if(const loops::instruction::If& i, size_t at);
  void open_else();
  void close_if();
  void open_loop(size_t at);
  void close_loop();
  void leave_loop(loops::Register condition, bool when);

 private:
  struct Block {
    bool is_loop = false, parts = false, cold = false, has_else = false;
    Label head = {}, other = {}, end = {};
    x86::Reg condition = {};  // of an if that parts lanes
    x86::Reg around = {};     // the lanes that are active outside
    asmjit::BaseNode* back = nullptr;
  };
  void jump(loops::Register condition, bool when, const Label& to);
  x86::Reg bools(loops::Register r);

  Emitter& e_;
  x86::Compiler& cc_;
  const loops::Varying& varying_;
  ScalarRegisters& r_;
  VectorRegisters& v_;
  LaneValues& values_;
  std::vector<Block> blocks_;
  x86::Reg active_;
};

}  // namespace covec::simd
