#include "jit/simd/machine/stack_emitter.hpp"

#include <cstddef>

namespace covec::simd {

using loops::NumberStack;

namespace {

int32_t stack_offset(uint32_t stack) { return static_cast<int32_t>(stack * sizeof(NumberStack)); }
int32_t top_offset(uint32_t stack) { return stack_offset(stack) + static_cast<int32_t>(offsetof(NumberStack, top)); }
int32_t end_offset(uint32_t stack) { return stack_offset(stack) + static_cast<int32_t>(offsetof(NumberStack, end)); }

}  // namespace

void StackEmitter::begin() {
  stacks_ = cc_.newIntPtr("stacks");
  cc_.mov(stacks_, calls_.field(offsetof(loops::ActivationRecord, stacks)));
}

void StackEmitter::push(const loops::instruction::PushNumber& i) {
  Label again = cc_.newLabel(), full = cc_.newLabel();
  x86::Gp top = r_.word();
  const x86::Mem top_place = x86::qword_ptr(stacks_, top_offset(i.stack));
  cc_.bind(again);
  cc_.mov(top, top_place);
  cc_.cmp(top, x86::qword_ptr(stacks_, end_offset(i.stack)));
  cc_.je(full);
  check(i.stack, top);
  memory_.store_word(x86::ptr(top), i.from);
  cc_.add(top, 8);
  cc_.mov(top_place, top);
  e_.out_of_line([&] {
    cc_.bind(full);
    calls_.cold_step(i.step);
    cc_.jmp(again);
  });
}

void StackEmitter::pop(const loops::instruction::PopNumber& i) {
  x86::Gp top = r_.word();
  const x86::Mem top_place = x86::qword_ptr(stacks_, top_offset(i.stack));
  cc_.mov(top, top_place);
  cc_.sub(top, 8);
  cc_.mov(top_place, top);
  check(i.stack, top);
  memory_.load(i.to, x86::ptr(top));
}

void StackEmitter::check(uint32_t stack, const x86::Gp& word) {
  if (!e_.checked()) return;
  x86::Gp address = r_.word();
  cc_.lea(address, x86::ptr(stacks_, stack_offset(stack)));
  e_.check(Helper::check_stack, address, word, imm(0));
}

}  // namespace covec::simd
