#include "jit/simd/machine/stack_emitter.hpp"

#include <cstddef>

namespace covec::simd {

using loops::Instruction;
using loops::NumberStack;

namespace {

int32_t stack_offset(const Instruction& i) { return static_cast<int32_t>(i.slot * sizeof(NumberStack)); }
int32_t top_offset(const Instruction& i) { return stack_offset(i) + static_cast<int32_t>(offsetof(NumberStack, top)); }
int32_t end_offset(const Instruction& i) { return stack_offset(i) + static_cast<int32_t>(offsetof(NumberStack, end)); }

}  // namespace

void StackEmitter::begin() {
  stacks_ = cc_.newIntPtr("stacks");
  cc_.mov(stacks_, calls_.field(offsetof(loops::ActivationRecord, stacks)));
}

void StackEmitter::push(const Instruction& i) {
  Label again = cc_.newLabel(), full = cc_.newLabel();
  x86::Gp top = r_.word();
  const x86::Mem top_place = x86::qword_ptr(stacks_, top_offset(i));
  cc_.bind(again);
  cc_.mov(top, top_place);
  cc_.cmp(top, x86::qword_ptr(stacks_, end_offset(i)));
  cc_.je(full);
  check(i, top);
  memory_.store_word(x86::ptr(top), i.operands[0]);
  cc_.add(top, 8);
  cc_.mov(top_place, top);
  e_.out_of_the_way([&] {
    cc_.bind(full);
    calls_.cold_step(i.index);
    cc_.jmp(again);
  });
}

void StackEmitter::pop(const Instruction& i) {
  x86::Gp top = r_.word();
  const x86::Mem top_place = x86::qword_ptr(stacks_, top_offset(i));
  cc_.mov(top, top_place);
  cc_.sub(top, 8);
  cc_.mov(top_place, top);
  check(i, top);
  memory_.load(i.to, x86::ptr(top));
}

void StackEmitter::check(const Instruction& i, const x86::Gp& word) {
  if (!e_.checked()) return;
  x86::Gp stack = r_.word();
  cc_.lea(stack, x86::ptr(stacks_, stack_offset(i)));
  e_.check(Helper::check_stack, stack, word, imm(0));
}

}  // namespace covec::simd
