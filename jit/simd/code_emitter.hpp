// The function itself as machine code: numbers in registers, loops and branches as they are written, calls of the
// runtime for the rest. One walk over the instructions; scalar AVX instructions on both instruction sets. What seldom
// happens (an index out of range, an interrupt) lies behind the function.
#pragma once

#include <optional>

#include "jit/simd/scalar_operations.hpp"

namespace covec::simd {

class CodeEmitter {
 public:
  CodeEmitter(Emitter& emitter, const loops::Code& code);
  asmjit::FuncNode* function();  // null where asmjit failed

 private:
  using Kind = loops::Instruction::Kind;
  struct Block {
    Label head, other, end;  // of a loop: head, –, end; of an if: –, the else part, end
    bool has_else = false;
    std::optional<size_t> poll = {};  // of a loop that begins with a question: the poll before it
    Label question = {};
    asmjit::BaseNode* back = nullptr;  // of a seldom if: where emitting goes on behind it
  };

  void find_constants();
  void find_fusions();
  void find_locals();
  void release_after(size_t at);
  void hand_over(const loops::Instruction& i, size_t at);
  bool has(Kind kind) const;
  bool makes_condition_of(size_t at) const;
  void emit(const loops::Instruction& i, size_t at);
  void open_if(const loops::Instruction& i, size_t at);
  void close_if();
  void open_loop(size_t at);
  void close_loop();
  const Block& innermost_loop() const;
  void jump(const loops::Instruction& i, size_t at, bool when, Label to);
  void poll(const loops::Instruction& i);
  x86::Gp call(size_t member, uint32_t index);
  x86::Gp call_seldom(size_t member, uint32_t index);
  void step(uint32_t index);
  void seldom_step(uint32_t index);
  void leave_with(x86::Gp status);
  void leave_unless_well(x86::Gp status);
  void store_slot(const loops::Instruction& i);
  void push(const loops::Instruction& i);
  void pop(const loops::Instruction& i);
  void element(const loops::Instruction& i);
  void set_element(const loops::Instruction& i);
  static int32_t slot_offset(const loops::Instruction& i);
  x86::Gp header(const loops::Instruction& i);
  void length_of_list(const x86::Gp& list, const x86::Gp& length);
  x86::Mem item(const loops::Instruction& i, const x86::Gp& list, const Label& out_of_range);
  void list_item(const loops::Instruction& i);
  void list_set(const loops::Instruction& i);
  void list_push(const loops::Instruction& i);
  x86::Gp offset(const loops::Instruction& i, const x86::Gp& tensor, const Label& out_of_range);
  x86::Gp index(loops::Register r, const asmjit::Operand_& extent, const Label& out_of_range);
  void check_exclusive(const x86::Gp& tensor, const Label& shared);
  void read(loops::Register to, x86::Mem from);
  void write(x86::Mem to, loops::Register from);
  void write_word(x86::Mem to, loops::Register from);

  Emitter& e_;
  x86::Compiler& cc_;
  const loops::Code& code_;
  ScalarOperations s_;
  std::vector<bool> fused_;  // a comparison that the next instruction makes for itself
  static constexpr size_t not_local = SIZE_MAX;
  std::vector<size_t> last_use_;  // of registers whose places may be taken then
  std::vector<Block> blocks_;
  unsigned seldom_ = 0;  // seldom ifs that are open
  size_t put_off_ = 0;   // instructions before this one are emitted at the end of their loop
  x86::Gp activation_, slots_, stacks_, status_;
  x86::Gp budget_;  // passes until the interrupt word is looked at
  Label leave_with_status_, leave_;
};

}  // namespace covec::simd
