// Emits calls of the runtime, and exits from the function. A rarely made call leaves all registers unchanged.
#pragma once

#include "jit/simd/machine/scalar_registers.hpp"

namespace covec::simd {

class RuntimeCalls {
 public:
  RuntimeCalls(Emitter& emitter, ScalarRegisters& registers) : e_(emitter), cc_(emitter.cc), r_(registers) {}
  void begin(asmjit::FuncNode* function);
  // In a routine, where a step that raises is a jump there.
  void begin_in_routine(x86::Gp activation, Label failed) {
    activation_ = activation;
    failed_ = failed;
  }
  void end();  // where the code ends well
  // Of a part: where it ends, and where it has left the function.
  void end_part();
  // Of a part, whose status this is: leaves as it has left.
  void leave_with_part(x86::Gp status, bool from_part);
  x86::Gp activation() const { return activation_; }
  Label entry() const { return entry_; }  // of the function
  // A word of the activation record, by its offset.
  x86::Mem field(size_t offset) const { return x86::qword_ptr(activation_, static_cast<int32_t>(offset)); }

  void leave() { cc_.jmp(leave_); }
  void step(uint32_t index);       // leaves where it does not end well
  void cold_step(uint32_t index);  // the same, where it hardly ever runs
  void poll(uint32_t index);
  // Looks, one time in so many, whether somebody wants attention; `seen` then emits what is done, behind the code,
  // which goes on at `back`. Between two looks `instructions` run, inner loops apart: many count as several times.
  template <class F>
  void look_for_attention(x86::Gp budget, int times, size_t instructions, F seen) {
    constexpr size_t of_one_time = 16;  // instructions
    Label look = cc_.newLabel(), back = cc_.newLabel();
    cc_.sub(budget, 1 + instructions / of_one_time);
    cc_.jle(look);
    cc_.bind(back);
    e_.out_of_line([&] {
      cc_.bind(look);
      cc_.mov(budget, times);
      x86::Gp interrupt = r_.word();
      cc_.mov(interrupt, field(offsetof(loops::ActivationRecord, interrupt)));
      cc_.cmp(x86::byte_ptr(interrupt), 0);
      cc_.je(back);
      seen(back);
    });
  }
  void raise(uint32_t index);  // a step that never ends well

 private:
  x86::Gp call(size_t member, uint32_t index);
  x86::Gp call_cold(size_t member, uint32_t index);
  void leave_with(x86::Gp status);
  void leave_unless_well(x86::Gp status);

  Emitter& e_;
  x86::Compiler& cc_;
  ScalarRegisters& r_;
  x86::Gp activation_, status_;
  Label leave_with_status_, leave_;
  Label entry_;
  Label failed_;  // of a routine
};

}  // namespace covec::simd
