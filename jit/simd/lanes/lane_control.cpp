#include "jit/simd/lanes/lane_control.hpp"

namespace covec::simd {

using loops::Register;
namespace instruction = loops::instruction;

x86::Reg LaneControl::bools(Register r) {
  bool own = false;
  return values_.vector(r, own);
}

// Of a condition that is the same in all lanes.
void LaneControl::jump(Register condition, bool when, const Label& to) {
  const x86::Gp truth = r_.gp(condition);
  cc_.test(truth, truth);
  when ? cc_.jnz(to) : cc_.jz(to);
}

void LaneControl::open_if(const instruction::If& i, size_t at) {
  Block block{.parts = varying_.parts(at), .cold = i.cold, .other = cc_.newLabel(), .end = cc_.newLabel()};
  LaneMasks& masks = values_.masks();
  block.around = active_;
  if (block.parts) {
    block.condition = bools(i.condition);
    active_ = masks.both(block.around, block.condition);
    i.cold ? masks.jump_if_any(active_, block.other) : masks.jump_if_none(active_, block.other);
  } else {
    jump(i.condition, i.cold, block.other);
  }
  if (i.cold) {
    cc_.bind(block.end);
    block.back = e_.begin_out_of_line();
    cc_.bind(block.other);
  }
  blocks_.push_back(block);
}

void LaneControl::open_else() {
  Block& block = blocks_.back();
  block.has_else = true;
  if (!block.parts) cc_.jmp(block.end);
  cc_.bind(block.other);
  if (!block.parts) return;
  active_ = values_.masks().except(block.around, block.condition);
  values_.masks().jump_if_none(active_, block.end);
}

void LaneControl::close_if() {
  const Block block = blocks_.back();
  blocks_.pop_back();
  active_ = block.around;
  if (block.cold) {
    cc_.jmp(block.end);
    e_.go_to(block.back);
    return;
  }
  if (!block.has_else) cc_.bind(block.other);
  cc_.bind(block.end);
}

void LaneControl::open_loop(size_t at) {
  Block block{.is_loop = true, .parts = varying_.parts(at), .head = cc_.newLabel(), .end = cc_.newLabel()};
  block.around = active_;
  if (block.parts) {
    active_ = v_.make(Dtype::boolean);
    v_.move(active_, block.around, Dtype::boolean);
  }
  cc_.bind(block.head);
  blocks_.push_back(block);
}

void LaneControl::close_loop() {
  const Block block = blocks_.back();
  blocks_.pop_back();
  cc_.jmp(block.head);
  cc_.bind(block.end);
  active_ = block.around;
}

void LaneControl::leave_loop(Register condition, bool when) {
  const Block& loop = *std::find_if(blocks_.rbegin(), blocks_.rend(), [](const Block& each) { return each.is_loop; });
  if (!varying_.varies(condition)) return jump(condition, when, loop.end);
  LaneMasks& masks = values_.masks();
  const x86::Reg those = bools(condition);
  v_.move(active_, when ? masks.except(active_, those) : masks.both(active_, those), Dtype::boolean);
  masks.jump_if_none(active_, loop.end);
}

}  // namespace covec::simd
