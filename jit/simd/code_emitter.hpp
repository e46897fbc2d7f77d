// Emits the function itself as machine code: numbers in registers, loops and branches as they are written, calls of the
// runtime for the rest. It is one walk over the instructions, and uses scalar AVX instructions on both instruction
// sets. Rare cases (an index out of range, an interrupt) lie behind the function.
#pragma once

#include "jit/simd/code_plan.hpp"
#include "jit/simd/machine/memory_emitter.hpp"
#include "jit/simd/machine/routine_calls.hpp"
#include "jit/simd/machine/scalar_operations.hpp"

namespace covec::simd {

class CodeEmitter {
 public:
  // Parts that have been emitted, and where.
  struct Parts {
    std::span<const Part> all;
    std::vector<Label> entries;
  };
  // `code`: the program's, or what is left of it beside its parts. `entry`: where calls of the program's routine go,
  // once that has been emitted.
  CodeEmitter(Emitter& emitter, const loops::Program& program, const loops::Code& code, Parts& parts, Label& entry)
      : CodeEmitter(emitter, program, code, parts, entry, nullptr) {}
  static CodeEmitter of_part(Emitter& emitter, const loops::Program& program, const Part& part, Parts& parts,
                             Label& entry) {
    return {emitter, program, part.code, parts, entry, &part};
  }
  static CodeEmitter of_routine(Emitter& emitter, const loops::Program& program, Parts& parts, Label& entry) {
    return {emitter, program, program.routine->code, parts, entry, nullptr};
  }
  asmjit::FuncNode* function();  // null where asmjit failed

 private:
  struct Block {
    Label head, other, end;  // of a loop: head, –, end; of an if: –, the else part, end
    bool has_else = false;
    std::optional<size_t> poll = {};  // of a loop that begins with a question: the poll before it
    Label question = {};
    asmjit::BaseNode* back = nullptr;    // of a cold if: where emitting goes on behind it
    std::optional<uint32_t> timed = {};  // of a loop that is timed: its Poll's step
  };

  CodeEmitter(Emitter& emitter, const loops::Program& program, const loops::Code& code, Parts& parts, Label& entry,
              const Part* part);
  bool is_routine() const { return is_routine_; }
  asmjit::FuncNode* begin();
  void release_after(size_t at);
  void reuse_operand(const loops::instruction::Scalar& i, size_t at);
  void emit(const loops::Instruction& i, size_t at);
  void emit_scalar(const loops::instruction::Scalar& i, size_t at);
  void open_if(const loops::instruction::If& i, size_t at);
  void open_else();
  void close_if();
  void open_loop(size_t at);
  void close_loop();
  void call_routine(const loops::instruction::CallRoutine& i);
  void call_part(const loops::instruction::CallPart& i);
  const Block& innermost_loop() const;
  void jump(loops::Register condition, size_t at, bool when, Label to);
  void poll(size_t at);
  void cross(std::span<const Crossing> crossings, std::span<const loops::Register> numbers, bool load);
  void cross_own(const std::vector<Crossing>& crossings, bool load);

  Emitter& e_;
  x86::Compiler& cc_;
  const loops::Code& code_;
  const bool is_routine_;
  Parts& parts_;
  const Part* const part_;
  Label& entry_;
  CodePlan plan_;
  ScalarRegisters r_;
  ScalarOperations s_;
  RuntimeCalls calls_;
  std::optional<RoutineCalls> routine_;
  MemoryEmitter memory_;
  std::vector<Block> blocks_;
  unsigned cold_ = 0;   // cold ifs that are open
  size_t put_off_ = 0;  // instructions before this one are emitted at the end of their loop
  x86::Gp budget_;      // iterations until the interrupt word is looked at
};

}  // namespace covec::simd
