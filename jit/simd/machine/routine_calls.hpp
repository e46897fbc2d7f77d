// Emits a routine as machine code (loops::Routine): a function of the machine's own calling convention. It takes the
// activation, the number of calls that may still be open, and its numbers. Start at begin().
#pragma once

#include "jit/simd/machine/scalar_registers.hpp"

namespace covec::simd {

class RoutineCalls {
 public:
  RoutineCalls(Emitter& emitter, ScalarRegisters& registers, const loops::Routine& routine)
      : e_(emitter), cc_(emitter.cc), r_(registers), routine_(routine) {}

  // --- inside of it ---
  asmjit::FuncNode* begin(Label& entry);  // the entry is what calls are to; null where asmjit failed
  void call(const loops::instruction::CallRoutine& i, Label entry);
  void fail() { cc_.jmp(failed_); }
  Label failed() const { return failed_; }
  x86::Gp activation() const { return activation_; }
  void leave();
  void end();

  // --- from the function ---
  void call_first(const loops::instruction::CallRoutine& i, Label entry, x86::Gp activation);
  static x86::Mem has_failed(x86::Gp activation);

 private:
  asmjit::FuncSignatureBuilder signature() const;
  asmjit::TypeId type_of(loops::Register r) const;
  void take_parameters(asmjit::FuncNode* function);
  void check_entry();
  void invoke(const loops::instruction::CallRoutine& i, Label entry, x86::Gp activation, x86::Gp depth);
  bool gives_float() const { return is_float(routine_.code.registers[routine_.result]); }

  Emitter& e_;
  x86::Compiler& cc_;
  ScalarRegisters& r_;
  const loops::Routine& routine_;
  x86::Gp activation_, depth_, result_;
  x86::Xmm float_result_;
  Label failed_, exit_;
};

}  // namespace covec::simd
