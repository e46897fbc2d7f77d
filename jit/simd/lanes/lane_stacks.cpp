#include "jit/simd/lanes/lane_stacks.hpp"

#include <cstddef>

namespace covec::simd {

using loops::LaneRecord;
using loops::LaneStack;
namespace instruction = loops::instruction;
using ops::ScalarOp;

void LaneStacks::begin(x86::Gp record) {
  record_ = record;
  for (uint32_t k = 0; k < depths_.size(); ++k) {
    if (varying_.stack_parts(k))
      depths_[k].of_each = v_.make(Dtype::i64);
    else
      depths_[k].of_all = cc_.newInt64("depth%u", k);
  }
}

void LaneStacks::begin_group() {
  for (Depth& depth : depths_) {
    if (depth.of_all.isValid())
      cc_.xor_(depth.of_all.r32(), depth.of_all.r32());
    else
      v_.move(depth.of_each, memory_.lane_numbers(), Dtype::i64);
  }
}

void LaneStacks::end_group() {
  for (const Depth& depth : depths_) {
    if (depth.of_all.isValid()) {
      cc_.test(depth.of_all, depth.of_all);
      cc_.jnz(group_.fail);
    } else {
      VectorRequest differs{ScalarOp::ne, Dtype::boolean, Dtype::i64, {depth.of_each, memory_.lane_numbers()}, {}, {}};
      values_.masks().jump_if_any(ops_.apply(differs), group_.fail);
    }
  }
}

// The address of its LaneStack.
x86::Gp LaneStacks::stack(uint32_t number) {
  x86::Gp stack = r_.word();
  cc_.mov(stack, x86::qword_ptr(record_, static_cast<int32_t>(offsetof(LaneRecord, stacks))));
  if (number > 0) cc_.add(stack, static_cast<int32_t>(number * sizeof(LaneStack)));
  return stack;
}

void LaneStacks::require_room(uint32_t number, const x86::Gp& stack, x86::Reg active) {
  Label full = cc_.newLabel();
  const Depth& depth = depths_[number];
  x86::Gp words = r_.word();
  cc_.mov(words, x86::qword_ptr(stack, static_cast<int32_t>(offsetof(LaneStack, rows))));
  cc_.shl(words, std::countr_zero(static_cast<unsigned>(v_.lanes())));
  if (depth.of_all.isValid()) {
    cc_.cmp(depth.of_all, words);
    cc_.jge(full);
  } else {
    const VectorRequest over{
        ScalarOp::le, Dtype::boolean, Dtype::i64, {memory_.in_all_lanes(words), depth.of_each}, {}, {}};
    values_.masks().jump_if_any(values_.masks().both(ops_.apply(over), active), full);
  }
  e_.out_of_line([&] {
    cc_.bind(full);
    cc_.mov(x86::qword_ptr(record_, static_cast<int32_t>(offsetof(LaneRecord, full))), number);
    cc_.jmp(group_.fail);
  });
}

void LaneStacks::require_some(uint32_t number, x86::Reg active) {
  const Depth& depth = depths_[number];
  if (depth.of_all.isValid()) {
    cc_.test(depth.of_all, depth.of_all);
    cc_.jz(group_.fail);
    return;
  }
  const x86::Reg rows = memory_.lane_numbers();
  const VectorRequest none{ScalarOp::eq, Dtype::boolean, Dtype::i64, {depth.of_each, rows}, {}, {}};
  values_.masks().jump_if_any(values_.masks().both(ops_.apply(none), active), group_.fail);
}

// The depth, by a row.
void LaneStacks::step(uint32_t number, x86::Reg active, int rows) {
  const Depth& depth = depths_[number];
  if (depth.of_all.isValid()) {
    cc_.add(depth.of_all, rows * v_.lanes());
    return;
  }
  const auto change = static_cast<uint64_t>(int64_t{rows} * v_.lanes());
  const VectorRequest moved{ScalarOp::add,
                            Dtype::i64,
                            Dtype::i64,
                            {depth.of_each, values_.memory().broadcast_constant(change, Dtype::i64)},
                            {},
                            {}};
  v_.blend_into(depth.of_each, active, ops_.apply(moved), Dtype::i64);
}

LanePlaces LaneStacks::places(uint32_t number, const x86::Gp& stack) {
  LanePlaces at{r_.word(), std::countr_zero(sizeof(uint64_t)), r_.word(), depths_[number].of_each};
  cc_.mov(at.data, x86::qword_ptr(stack, static_cast<int32_t>(offsetof(LaneStack, words))));
  cc_.xor_(at.base.r32(), at.base.r32());
  at.check = [this, stack](const x86::Gp& place) {
    x86::Gp words = cc_.newInt64(), one = cc_.newInt64();
    cc_.mov(one, 1);
    cc_.mov(words, x86::qword_ptr(stack, static_cast<int32_t>(offsetof(LaneStack, rows))));
    cc_.shl(words, std::countr_zero(static_cast<unsigned>(v_.lanes())));
    e_.check(Helper::check_lanes, one, place, words);
  };
  return at;
}

// The one at the depth of all lanes.
x86::Mem LaneStacks::row(uint32_t number, const x86::Gp& stack) {
  x86::Gp words = r_.word();
  cc_.mov(words, x86::qword_ptr(stack, static_cast<int32_t>(offsetof(LaneStack, words))));
  return x86::ptr(words, depths_[number].of_all, 3);
}

void LaneStacks::push(const instruction::PushNumber& i, x86::Reg active) {
  const x86::Gp stack = this->stack(i.stack);
  require_room(i.stack, stack, active);
  if (!varying_.stack_varies(i.stack)) {
    numbers_.store_word(row(i.stack, stack), i.from);
  } else {
    bool own = false;
    const Dtype dtype = r_.dtype(i.from);
    const x86::Reg from = values_.vector(i.from, own);
    if (varying_.stack_parts(i.stack))
      memory_.store(places(i.stack, stack), from, dtype, active);
    else
      values_.memory().store(row(i.stack, stack), from, dtype, nullptr);
  }
  step(i.stack, active, 1);
}

void LaneStacks::pop(const instruction::PopNumber& i, size_t at, x86::Reg active) {
  const x86::Gp stack = this->stack(i.stack);
  require_some(i.stack, active);
  step(i.stack, active, -1);
  const Dtype dtype = r_.dtype(i.to);
  if (varying_.stack_parts(i.stack))
    values_.give(i.to, at, memory_.load(places(i.stack, stack), dtype, active), active);
  else if (varying_.stack_varies(i.stack))
    values_.give(i.to, at, values_.memory().load(row(i.stack, stack), dtype, nullptr), active);
  else if (varying_.varies(i.to))
    values_.give(i.to, at, values_.memory().broadcast(row(i.stack, stack), dtype), active);
  else
    numbers_.load(i.to, row(i.stack, stack));
}

}  // namespace covec::simd
