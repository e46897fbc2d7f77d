// Slots, stacks of numbers, the elements of tensors and the items of lists of numbers. Headers are read where they lie
// (stdlib/tensor/layout.hpp, stdlib/value/list_layout.hpp).
#pragma once

#include "jit/simd/runtime_calls.hpp"

namespace covec::simd {

class MemoryEmitter {
 public:
  MemoryEmitter(Emitter& emitter, ScalarRegisters& registers, RuntimeCalls& calls)
      : e_(emitter), cc_(emitter.cc), r_(registers), calls_(calls) {}
  void begin(bool has_stacks);

  void load_slot(const loops::Instruction& i);
  void store_slot(const loops::Instruction& i);
  void push(const loops::Instruction& i);
  void pop(const loops::Instruction& i);
  void extent(const loops::Instruction& i);
  void element(const loops::Instruction& i);
  void set_element(const loops::Instruction& i);
  void list_length(const loops::Instruction& i);
  void list_item(const loops::Instruction& i);
  void list_set(const loops::Instruction& i);
  void list_push(const loops::Instruction& i);

 private:
  static int32_t slot_offset(const loops::Instruction& i);
  x86::Gp header(const loops::Instruction& i);
  void length_of_list(const x86::Gp& list, const x86::Gp& length);
  x86::Mem item(const loops::Instruction& i, const x86::Gp& list, const Label& out_of_range);
  x86::Gp offset(const loops::Instruction& i, const x86::Gp& tensor, const Label& out_of_range);
  x86::Gp index(loops::Register r, const Operand_& extent, const Label& out_of_range);
  void check_stack(const loops::Instruction& i, const x86::Gp& word);
  void check_exclusive(const x86::Gp& tensor, const Label& shared);
  void read(loops::Register to, x86::Mem from);
  void write(x86::Mem to, loops::Register from);
  void write_word(x86::Mem to, loops::Register from);

  Emitter& e_;
  x86::Compiler& cc_;
  ScalarRegisters& r_;
  RuntimeCalls& calls_;
  x86::Gp slots_, stacks_;
};

}  // namespace covec::simd
