// Instructions that reach into memory, each given to the emitter of its kind of memory. Start at emit().
#pragma once

#include "jit/simd/machine/draw_emitter.hpp"
#include "jit/simd/machine/element_emitter.hpp"
#include "jit/simd/machine/list_emitter.hpp"
#include "jit/simd/machine/stack_emitter.hpp"

namespace covec::simd {

class MemoryEmitter {
 public:
  MemoryEmitter(Emitter& emitter, ScalarRegisters& registers, RuntimeCalls& calls);
  void begin(bool has_stacks, bool draws, std::span<const loops::View> views);
  // `next`: the instructions behind it.
  void emit(const loops::instruction::Element& i, std::span<const loops::Instruction> next) { elements_.load(i, next); }
  void emit(const loops::instruction::SetElement& i) { elements_.store(i); }
  void emit(const loops::instruction::Extent& i) { elements_.extent(i); }
  void emit(const loops::instruction::LookUp& i) { views_.look_up(i.view); }
  void emit(const loops::instruction::Load& i) { slots_.load(i); }
  void emit(const loops::instruction::Store& i) { slots_.store(i); }
  void emit(const loops::instruction::PushNumber& i) { stacks_.push(i); }
  void emit(const loops::instruction::PopNumber& i) { stacks_.pop(i); }
  void emit(const loops::instruction::ListLength& i) { lists_.length(i); }
  void emit(const loops::instruction::ListItem& i) { lists_.load(i); }
  void emit(const loops::instruction::ListSet& i) { lists_.store(i); }
  void emit(const loops::instruction::ListPush& i) { lists_.push(i); }
  void emit(const loops::instruction::Draw& i) { draws_.draw(i); }
  void emit(const loops::instruction::NextCall& i) { draws_.next_call(i); }
  void emit(const loops::instruction::SetNextCall& i) { draws_.set_next_call(i); }
  void enter_loop() { views_.enter_loop(); }
  void leave_loop() { views_.leave_loop(); }

 private:
  RuntimeCalls& calls_;
  ScalarMemory memory_;
  SlotEmitter slots_;
  StackEmitter stacks_;
  ListEmitter lists_;
  DrawEmitter draws_;
  ViewEmitter views_;
  ElementEmitter elements_;
};

}  // namespace covec::simd
