#include "jit/simd/machine/memory_emitter.hpp"

namespace covec::simd {

using loops::Instruction;

MemoryEmitter::MemoryEmitter(Emitter& emitter, ScalarRegisters& registers, RuntimeCalls& calls)
    : calls_(calls),
      memory_(emitter, registers),
      slots_(emitter, registers, memory_),
      stacks_(emitter, registers, calls, memory_),
      lists_(emitter, registers, calls, memory_, slots_),
      views_(emitter, registers, slots_),
      elements_(emitter, registers, calls, memory_, slots_, views_) {}

void MemoryEmitter::begin(bool has_stacks, std::span<const loops::View> views) {
  slots_.begin(calls_);
  if (has_stacks) stacks_.begin();
  views_.begin(views);
}

void MemoryEmitter::emit(const Instruction& i, std::span<const Instruction> next) {
  using enum Instruction::Kind;
  switch (i.kind) {
    case load: return slots_.load(i);
    case store: return slots_.store(i);
    case push: return stacks_.push(i);
    case pop: return stacks_.pop(i);
    case list_length: return lists_.length(i);
    case list_item: return lists_.load(i);
    case list_set: return lists_.store(i);
    case list_push: return lists_.push(i);
    case view: return views_.look_up(i.view);
    case extent: return elements_.extent(i);
    case element: return elements_.load(i, next);
    case set_element: return elements_.store(i);
    default: break;  // reaches into no memory
  }
}

}  // namespace covec::simd
