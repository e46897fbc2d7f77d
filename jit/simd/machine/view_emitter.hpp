// Views: a tensor's address, extents and strides in registers, looked up once before a loop in place of at each
// element. A part of a view, such as a row, is a view itself. Start at look_up(), then offset().
#pragma once

#include <span>
#include <vector>

#include "jit/simd/machine/slot_emitter.hpp"

namespace covec::simd {

class ViewEmitter {
 public:
  ViewEmitter(Emitter& emitter, ScalarRegisters& registers, SlotEmitter& slots)
      : e_(emitter), cc_(emitter.cc), r_(registers), slots_(slots) {}
  void begin(std::span<const loops::View> views);
  void look_up(uint32_t view);
  // Views are open in the loop that they stand before.
  void enter_loop() { ++loops_; }
  void leave_loop();
  // After a step that may have put the tensor in the slot elsewhere.
  void refresh(loops::SlotId slot);

  // Of an element, from the view's first. `otherwise`: an index is out of range, or the element is to be set and may
  // not be.
  x86::Gp offset(const loops::instruction::ElementPlace& i, Dtype dtype, bool writes, const Label& otherwise);
  void require_writable(uint32_t view, const Label& otherwise);
  // In checked code: whether an element lies in the tensor.
  void check(const loops::instruction::ElementPlace& i, const x86::Gp& offset, Dtype dtype);
  x86::Mem element(uint32_t view, const x86::Gp& offset, Dtype dtype) const;

  // Of a view, from its look_up on; for one that may not be written, `writable` is 0 in place of the first extent.
  struct Seen {
    x86::Gp data, writable;
    std::vector<x86::Gp> extents, strides;
  };
  const Seen& seen(uint32_t view) const { return seen_[view]; }

 private:
  Seen make_seen(uint32_t view);
  void see(uint32_t view);
  void see_tensor(uint32_t view);
  void see_part(uint32_t view);

  Emitter& e_;
  x86::Compiler& cc_;
  ScalarRegisters& r_;
  SlotEmitter& slots_;
  std::span<const loops::View> views_;
  std::vector<Seen> seen_;
  struct Open {
    uint32_t view;
    unsigned loops;
  };
  std::vector<Open> open_;
  unsigned loops_ = 0;  // around what is emitted
};

}  // namespace covec::simd
