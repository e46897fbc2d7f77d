#include "jit/simd/machine/runtime_calls.hpp"

#include <cstddef>

namespace covec::simd {

using loops::ActivationRecord;

void RuntimeCalls::begin(asmjit::FuncNode* function) {
  activation_ = cc_.newIntPtr("activation");
  status_ = cc_.newInt32("status");
  leave_ = cc_.newLabel();
  leave_with_status_ = cc_.newLabel();
  entry_ = function->label();
  function->setArg(0, activation_);
}

void RuntimeCalls::end() {
  cc_.bind(leave_);
  cc_.mov(status_, 0);
  cc_.bind(leave_with_status_);
  cc_.ret(status_);
}

namespace {

constexpr int32_t left = INT32_MIN;  // a part's status: the function has been left, and well

}  // namespace

void RuntimeCalls::end_part() {
  cc_.mov(status_, 0);
  cc_.jmp(leave_with_status_);
  cc_.bind(leave_);
  cc_.mov(status_, left);
  cc_.bind(leave_with_status_);
  cc_.ret(status_);
}

void RuntimeCalls::leave_with_part(x86::Gp status, bool from_part) {
  Label leave = cc_.newLabel();
  cc_.test(status, status);
  cc_.jnz(leave);
  e_.out_of_line([&] {
    cc_.bind(leave);
    if (!from_part) {
      cc_.cmp(status, left);
      cc_.je(leave_);
    }
    leave_with(status);
  });
}

x86::Gp RuntimeCalls::call(size_t member, uint32_t index) {
  asmjit::InvokeNode* node = nullptr;
  x86::Gp status = r_.word().r32();
  cc_.invoke(&node, x86::qword_ptr(activation_, static_cast<int32_t>(member)),
             asmjit::FuncSignatureT<int32_t, ActivationRecord*, uint32_t>());
  if (node == nullptr) return status;
  node->setArg(0, activation_);
  node->setArg(1, imm(index));
  node->setRet(0, status);
  return status;
}

// Leaves all other registers as they are, so that they need not be allotted around what hardly ever happens.
x86::Gp RuntimeCalls::call_cold(size_t member, uint32_t index) {
  const auto area = [](size_t offset, uint32_t size) { return x86::ptr(x86::rsp, static_cast<int32_t>(offset), size); };
  x86::Gp status = r_.word().r32();
  cc_.mov(area(offsetof(ColdCall, activation), 8), activation_);
  cc_.mov(area(offsetof(ColdCall, member), 8), static_cast<int32_t>(member));
  cc_.mov(area(offsetof(ColdCall, index), 4), index);
  cc_.emit(Inst::kIdCall, e_.cold_call());
  cc_.mov(status, area(offsetof(ColdCall, status), 4));
  return status;
}

void RuntimeCalls::cold_step(uint32_t index) { leave_unless_well(call_cold(offsetof(ActivationRecord, step), index)); }

void RuntimeCalls::poll(uint32_t index) { leave_unless_well(call_cold(offsetof(ActivationRecord, poll), index)); }

void RuntimeCalls::raise(uint32_t index) {
  if (failed_.isValid())
    cc_.jmp(failed_);
  else
    leave_with(call_cold(offsetof(ActivationRecord, step), index));
}

void RuntimeCalls::step(uint32_t index) { leave_unless_well(call(offsetof(ActivationRecord, step), index)); }

void RuntimeCalls::leave_unless_well(x86::Gp status) {
  Label leave = cc_.newLabel();
  cc_.test(status, status);
  cc_.jnz(leave);
  e_.out_of_line([&] {
    cc_.bind(leave);
    leave_with(status);
  });
}

void RuntimeCalls::leave_with(x86::Gp status) {
  cc_.mov(status_, status);
  cc_.jmp(leave_with_status_);
}

}  // namespace covec::simd
