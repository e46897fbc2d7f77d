#include "jit/simd/own_calls.hpp"

#include <cstddef>

#include "stdlib/value/value.hpp"

namespace covec::simd {

using loops::ActivationRecord;
using loops::SlotId;

static_assert(sizeof(Value) == 16);  // the tag first, the payload at byte 8

namespace {

x86::Mem tag_in(const x86::Gp& slots, SlotId slot) { return x86::byte_ptr(slots, static_cast<int32_t>(16 * slot)); }
x86::Mem payload_in(const x86::Gp& slots, SlotId slot) {
  return x86::qword_ptr(slots, static_cast<int32_t>(16 * slot + 8));
}
x86::Mem of_record(const x86::Gp& record, size_t offset) {
  return x86::qword_ptr(record, static_cast<int32_t>(offset));
}

constexpr int object_tag = static_cast<int>(Tag::object);  // the only tag with this bit

}  // namespace

void OwnCalls::call(const loops::instruction::CallStep& i) {
  const OwnCall& own = *i.own;
  Label slow = cc_.newLabel(), done = cc_.newLabel(), failed = cc_.newLabel(), left = cc_.newLabel();
  callee_ = cc_.newInt64(), slots_ = cc_.newInt64();
  x86::Gp inside = r_.word(), tags = r_.word();
  look(own, slow);
  cc_.mov(inside, of_record(callee_, offsetof(ActivationRecord, slots)));
  pass(own.arguments, slots_, inside);
  const x86::Gp status = invoke();
  cc_.test(status, status);
  cc_.jnz(failed);
  cc_.mov(inside, of_record(callee_, offsetof(ActivationRecord, slots)));
  pass(own.results, inside, slots_);
  if (!own.objects.empty()) {
    cc_.mov(tags.r8(), tag_in(inside, own.objects[0]));
    for (size_t k = 1; k < own.objects.size(); ++k) cc_.or_(tags.r8(), tag_in(inside, own.objects[k]));
    cc_.test(tags.r8(), object_tag);
    cc_.jnz(left);
  }
  cc_.bind(done);
  e_.out_of_line([&] {
    cc_.bind(slow);
    calls_.cold_step(i.step);
    cc_.jmp(done);
    cc_.bind(failed);
    cc_.mov(calls_.field(offsetof(ActivationRecord, failed)), ActivationRecord::own_call_failed);
    calls_.raise(i.step);
    cc_.bind(left);
    cc_.mov(calls_.field(offsetof(ActivationRecord, failed)), ActivationRecord::own_call_left_objects);
    calls_.cold_step(i.step);
    cc_.jmp(done);
  });
}

// Goes to the step before anything has happened where it must do the call.
void OwnCalls::look(const OwnCall& own, const Label& slow) {
  x86::Gp word = r_.word();
  cc_.mov(callee_, calls_.field(offsetof(ActivationRecord, deeper)));
  cc_.test(callee_, callee_);
  cc_.jz(slow);
  cc_.mov(word, calls_.field(offsetof(ActivationRecord, run_number)));
  cc_.cmp(word, of_record(callee_, offsetof(ActivationRecord, run_number)));
  cc_.jne(slow);
  cc_.mov(word, calls_.field(offsetof(ActivationRecord, interrupt)));
  cc_.cmp(x86::byte_ptr(word), 0);
  cc_.jne(slow);
  cc_.mov(slots_, calls_.field(offsetof(ActivationRecord, slots)));
  const auto holds_none = [&](SlotId slot) {
    cc_.cmp(tag_in(slots_, slot), object_tag);
    cc_.je(slow);
  };
  for (const SlotId slot : own.drops) holds_none(slot);
  for (const OwnCall::Passed& result : own.results) {
    if (!result.number) holds_none(result.to);
  }
  cc_.mov(word, calls_.field(offsetof(ActivationRecord, calls_left)));
  cc_.cmp(word, own.frames);
  cc_.jle(slow);
  cc_.sub(word, own.depth);
  cc_.mov(of_record(callee_, offsetof(ActivationRecord, calls_left)), word);
}

void OwnCalls::pass(const std::vector<OwnCall::Passed>& all, const x86::Gp& from, const x86::Gp& to) {
  for (const OwnCall::Passed& passed : all) pass(passed, from, to);
}

void OwnCalls::pass(const OwnCall::Passed& passed, const x86::Gp& from, const x86::Gp& to) {
  x86::Gp word = cc_.newInt64();
  if (passed.tag != 0) {
    cc_.mov(word, passed.bits);
    cc_.mov(tag_in(to, passed.to), passed.tag);
    cc_.mov(payload_in(to, passed.to), word);
    return;
  }
  x86::Gp kind = cc_.newInt32();
  cc_.movzx(kind, tag_in(from, passed.from));
  cc_.mov(word, payload_in(from, passed.from));
  if (!passed.number && passed.last) {
    cc_.mov(tag_in(from, passed.from), static_cast<int>(Tag::none));
  } else if (!passed.number) {
    Label counted = cc_.newLabel();
    cc_.cmp(kind, object_tag);
    cc_.jne(counted);
    cc_.inc(x86::dword_ptr(word, 0));  // Object::references
    cc_.bind(counted);
  }
  cc_.mov(tag_in(to, passed.to), kind.r8());
  cc_.mov(payload_in(to, passed.to), word);
}

x86::Gp OwnCalls::invoke() {
  x86::Gp open = r_.word(), status = r_.word().r32();
  cc_.mov(open, calls_.field(offsetof(ActivationRecord, open)));
  cc_.inc(x86::qword_ptr(open));
  asmjit::InvokeNode* node = nullptr;
  cc_.invoke(&node, calls_.entry(), asmjit::FuncSignatureT<int32_t, ActivationRecord*>());
  if (node == nullptr) return status;
  node->setArg(0, callee_);
  node->setRet(0, status);
  cc_.dec(x86::qword_ptr(open));
  return status;
}

}  // namespace covec::simd
