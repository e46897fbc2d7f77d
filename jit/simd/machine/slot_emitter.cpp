#include "jit/simd/machine/slot_emitter.hpp"

#include <cstddef>

namespace covec::simd {

using loops::Register;
using loops::SlotId;

static_assert(sizeof(Value) == 16);  // the tag first, the payload at byte 8

namespace {

int32_t slot_offset(SlotId slot) { return static_cast<int32_t>(slot * sizeof(Value)); }

}  // namespace

void SlotEmitter::begin(const RuntimeCalls& calls) {
  slots_ = cc_.newIntPtr("slots");
  cc_.mov(slots_, calls.field(offsetof(loops::ActivationRecord, slots)));
}

void SlotEmitter::load(const loops::instruction::Load& i) { memory_.load(i.to, payload(i.slot)); }

void SlotEmitter::store(const loops::instruction::Store& i) { store(i.slot, i.from); }

x86::Mem SlotEmitter::tag(SlotId slot) const { return x86::byte_ptr(slots_, slot_offset(slot)); }

x86::Mem SlotEmitter::payload(SlotId slot) const { return x86::ptr(slots_, slot_offset(slot) + 8); }

void SlotEmitter::store(SlotId slot, Register number) {
  cc_.mov(tag(slot), static_cast<int>(tag_of(r_.dtype(number))));
  memory_.store_word(payload(slot), number);
}

void SlotEmitter::save(std::span<const loops::instruction::Saved> saves) {
  for (const loops::instruction::Saved& saved : saves) store(saved.slot, saved.number);
}

// Of the tensor or list in a slot.
x86::Gp SlotEmitter::header(SlotId slot) {
  x86::Gp header = r_.word();
  cc_.mov(header, x86::qword_ptr(slots_, slot_offset(slot) + 8));
  return header;
}

}  // namespace covec::simd
