// Emits calls that a function makes of itself (loops::instruction::OwnCall).
#pragma once

#include "jit/simd/machine/runtime_calls.hpp"

namespace covec::simd {

class OwnCalls {
 public:
  OwnCalls(Emitter& emitter, ScalarRegisters& registers, RuntimeCalls& calls)
      : e_(emitter), cc_(emitter.cc), r_(registers), calls_(calls) {}
  void call(const loops::instruction::CallStep& i);

 private:
  using OwnCall = loops::instruction::OwnCall;
  void look(const OwnCall& own, const Label& slow);
  void pass(const std::vector<OwnCall::Passed>& all, const x86::Gp& from, const x86::Gp& to);
  void pass(const OwnCall::Passed& passed, const x86::Gp& from, const x86::Gp& to);
  x86::Gp invoke();

  Emitter& e_;
  x86::Compiler& cc_;
  ScalarRegisters& r_;
  RuntimeCalls& calls_;
  x86::Gp callee_, slots_;
};

}  // namespace covec::simd
