// Emits access to slots, stacks of numbers, elements of tensors, and items of lists of numbers. It reads headers in
// place (stdlib/tensor/layout.hpp, stdlib/value/list_layout.hpp).
#pragma once

#include <span>
#include <vector>

#include "jit/simd/machine/runtime_calls.hpp"

namespace covec::simd {

class MemoryEmitter {
 public:
  MemoryEmitter(Emitter& emitter, ScalarRegisters& registers, RuntimeCalls& calls)
      : e_(emitter), cc_(emitter.cc), r_(registers), calls_(calls) {}
  void begin(bool has_stacks, std::span<const loops::View> views);

  void load_slot(const loops::Instruction& i);
  void store_slot(const loops::Instruction& i);
  void push(const loops::Instruction& i);
  void pop(const loops::Instruction& i);
  void extent(const loops::Instruction& i);
  // `next`: the instructions behind it.
  void element(const loops::Instruction& i, std::span<const loops::Instruction> next);
  void set_element(const loops::Instruction& i);
  void look_up(uint32_t view);
  // Views are open in the loop that they stand before.
  void enter_loop() { ++loops_; }
  void leave_loop();
  void list_length(const loops::Instruction& i);
  void list_item(const loops::Instruction& i);
  void list_set(const loops::Instruction& i);
  void list_push(const loops::Instruction& i);

 private:
  // Of a view, from its look_up on; for one that may not be written, `writable` is 0 in place of the first extent.
  struct Seen {
    x86::Gp data, writable;
    std::vector<x86::Gp> extents, strides;
  };
  static int32_t slot_offset(loops::SlotId slot);
  x86::Gp header(loops::SlotId slot);
  Seen make_seen(uint32_t view);
  void see(uint32_t view);
  void see_tensor(uint32_t view);
  void see_part(uint32_t view);
  void refresh(loops::SlotId slot);
  void save(const loops::Instruction& i);
  void store(loops::SlotId slot, loops::Register number);
  x86::Mem place(const loops::Instruction& i, Dtype dtype, const Label& otherwise);
  void check_place(const loops::Instruction& i, const Seen& seen, const x86::Gp& sum, Dtype dtype);
  x86::Mem place_in_view(const loops::Instruction& i, Dtype dtype, const Label& otherwise);
  x86::Mem kept_place(const loops::Instruction& i, Dtype dtype, const Label& otherwise);
  void length_of_list(const x86::Gp& list, const x86::Gp& length);
  x86::Mem item(const loops::Instruction& i, const x86::Gp& list, const Label& out_of_range);
  x86::Gp index(loops::Register r, const Operand_& extent, const Label& out_of_range);
  void check_stack(const loops::Instruction& i, const x86::Gp& word);
  void check_exclusive(const x86::Gp& tensor, const Label& shared);
  void read(loops::Register to, x86::Mem from);
  void write(x86::Mem to, loops::Register from);
  void read_integer(const x86::Gp& to, const x86::Mem& from, Dtype dtype);
  void write_integer(const x86::Mem& to, const x86::Gp& from);
  void read_half(const x86::Xmm& to, const x86::Mem& from, Dtype dtype);
  x86::Gp half_bits(loops::Register from);
  void write_word(x86::Mem to, loops::Register from);

  Emitter& e_;
  x86::Compiler& cc_;
  ScalarRegisters& r_;
  RuntimeCalls& calls_;
  x86::Gp slots_, stacks_;
  std::span<const loops::View> views_;
  std::vector<Seen> seen_;
  x86::Gp kept_place_;  // of an element that is set next, from the view's first one
  bool keeps_place_ = false;
  struct Open {
    uint32_t view;
    unsigned loops;
  };
  std::vector<Open> open_;
  unsigned loops_ = 0;  // around what is emitted
};

}  // namespace covec::simd
