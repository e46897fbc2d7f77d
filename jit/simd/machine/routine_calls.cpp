#include "jit/simd/machine/routine_calls.hpp"

#include <cstddef>

namespace covec::simd {

using loops::ActivationRecord;
using loops::Register;
using loops::instruction::CallRoutine;

namespace {

constexpr unsigned before_numbers = 2;  // arguments: the activation, the depth

x86::Mem field(x86::Gp activation, size_t offset) { return x86::qword_ptr(activation, static_cast<int32_t>(offset)); }

}  // namespace

// Numbers go as whole words: what stands above a narrow one nobody looks at.
asmjit::TypeId RoutineCalls::type_of(Register r) const {
  return is_float(routine_.code.registers[r]) ? asmjit::TypeId::kFloat64 : asmjit::TypeId::kInt64;
}

asmjit::FuncSignatureBuilder RoutineCalls::signature() const {
  asmjit::FuncSignatureBuilder signature;
  signature.setRet(type_of(routine_.result));
  signature.addArg(asmjit::TypeId::kInt64);
  signature.addArg(asmjit::TypeId::kInt64);
  for (const Register parameter : routine_.parameters) signature.addArg(type_of(parameter));
  return signature;
}

asmjit::FuncNode* RoutineCalls::begin(Label& entry) {
  asmjit::FuncNode* function = cc_.addFunc(signature());
  if (function == nullptr) return nullptr;
  entry = function->label();
  function->frame().setAvxEnabled();
  e_.begin_cold_part();
  take_parameters(function);
  failed_ = cc_.newLabel();
  exit_ = cc_.newLabel();
  if (gives_float())
    float_result_ = cc_.newXmmSd("result");
  else
    result_ = cc_.newInt64("result");
  check_entry();
  return function;
}

void RoutineCalls::take_parameters(asmjit::FuncNode* function) {
  activation_ = cc_.newInt64("activation");
  depth_ = cc_.newInt64("depth");
  function->setArg(0, activation_);
  function->setArg(1, depth_);
  for (size_t k = 0; k < routine_.parameters.size(); ++k) {
    const x86::Reg& machine_register = r_.machine_register(routine_.parameters[k]);
    if (machine_register.isGp())
      function->setArg(before_numbers + k, machine_register.as<x86::Gp>().r64());
    else
      function->setArg(before_numbers + k, machine_register);
  }
}

void RoutineCalls::check_entry() {
  x86::Gp interrupt = r_.word();
  cc_.cmp(depth_, routine_.frames);
  cc_.jle(failed_);
  cc_.mov(interrupt, field(activation_, offsetof(ActivationRecord, interrupt)));
  cc_.cmp(x86::byte_ptr(interrupt), 0);
  cc_.jne(failed_);
  r_.end_instruction();
}

void RoutineCalls::invoke(const CallRoutine& i, Label entry, x86::Gp activation, x86::Gp depth) {
  // A constant is loaded where it is asked for: before the call.
  x86::Reg numbers[loops::Routine::max_parameters];
  for (size_t k = 0; k < i.arguments.size(); ++k) {
    const Register number = i.arguments[k];
    numbers[k] = r_.is_float_register(number) ? x86::Reg(r_.xmm(number)) : x86::Reg(r_.gp(number).r64());
  }
  asmjit::InvokeNode* node = nullptr;
  cc_.invoke(&node, entry, signature());
  if (node == nullptr) return;
  node->setArg(0, activation);
  node->setArg(1, depth);
  for (size_t k = 0; k < i.arguments.size(); ++k) node->setArg(before_numbers + k, numbers[k]);
  if (r_.is_float_register(i.to))
    node->setRet(0, r_.machine_register(i.to).as<x86::Xmm>());
  else
    node->setRet(0, r_.machine_register(i.to).as<x86::Gp>().r64());
}

void RoutineCalls::call(const CallRoutine& i, Label entry) {
  x86::Gp deeper = r_.word();
  cc_.lea(deeper, x86::ptr(depth_, -static_cast<int32_t>(i.depth)));
  invoke(i, entry, activation_, deeper);
  cc_.cmp(has_failed(activation_), 0);
  cc_.jne(failed_);
}

void RoutineCalls::call_first(const CallRoutine& i, Label entry, x86::Gp activation) {
  x86::Gp depth = r_.word();
  cc_.mov(depth, field(activation, offsetof(ActivationRecord, calls)));
  invoke(i, entry, activation, depth);
}

x86::Mem RoutineCalls::has_failed(x86::Gp activation) { return field(activation, offsetof(ActivationRecord, failed)); }

void RoutineCalls::leave() {
  if (gives_float())
    cc_.vmovaps(float_result_, r_.xmm(routine_.result));
  else
    cc_.mov(result_, r_.gp(routine_.result).r64());
  cc_.jmp(exit_);
}

void RoutineCalls::end() {
  cc_.bind(failed_);
  cc_.mov(has_failed(activation_), 1);
  if (gives_float())
    cc_.vxorps(float_result_, float_result_, float_result_);
  else
    cc_.xor_(result_, result_);
  cc_.bind(exit_);
  if (gives_float())
    cc_.ret(float_result_);
  else
    cc_.ret(result_);
}

}  // namespace covec::simd
