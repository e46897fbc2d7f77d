// Functions in the loop IR for tests, and a runtime for them that only counts and records.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "jit/simd/compile.hpp"
#include "stdlib/value/value.hpp"
#include "tests/jit_simd/reference.hpp"

namespace covec::tests {

using loops::Instruction;
namespace instruction = loops::instruction;
using loops::Register;

class CodeBuilder {
 public:
  loops::Program program;

  Register reg(Dtype dtype) {
    program.code.registers.push_back(dtype);
    return static_cast<Register>(program.code.registers.size() - 1);
  }
  void add(Instruction i) { program.code.instructions.push_back(std::move(i)); }
  Register constant(Dtype dtype, Word bits) {
    const Register r = reg(dtype);
    set(r, bits);
    return r;
  }
  Register integer(int64_t number) { return constant(Dtype::i64, to_word(number)); }
  void set(Register r, Word bits) { add(instruction::Constant{r, bits}); }
  void scalar(Register to, ops::ScalarOp op, Register a, Register b = 0, Register c = 0) {
    add(instruction::Scalar{op, loops::info_of(op).arity, to, {a, b, c}});
  }
  Register scalar(Dtype dtype, ops::ScalarOp op, Register a, Register b = 0, Register c = 0) {
    const Register to = reg(dtype);
    scalar(to, op, a, b, c);
    return to;
  }
  void move(Register to, Register from) { add(instruction::Move{to, from}); }
  Register load(Dtype dtype, loops::SlotId slot) {
    const Register to = reg(dtype);
    add(instruction::Load{to, slot});
    return to;
  }
  void store(loops::SlotId slot, Register a) { add(instruction::Store{slot, a}); }
  void step(uint32_t index) { add(instruction::CallStep{index}); }
  void poll(uint32_t index) { add(instruction::Poll{index}); }
  Register element(Dtype dtype, loops::SlotId slot, std::vector<Register> indices, uint32_t step) {
    const Register to = reg(dtype);
    add(instruction::Element{{slot, std::move(indices), step}, to});
    return to;
  }
  void set_element(loops::SlotId slot, std::vector<Register> indices, Register a, uint32_t step) {
    add(instruction::SetElement{{slot, std::move(indices), step}, a});
  }
  void push(uint32_t stack, Register a, uint32_t step) { add(instruction::PushNumber{stack, a, step}); }
  Register pop(Dtype dtype, uint32_t stack) {
    const Register to = reg(dtype);
    add(instruction::PopNumber{to, stack});
    return to;
  }
};

class Runtime {
 public:
  struct Record : loops::ActivationRecord {
    Runtime* owner;
  } activation;
  std::vector<Value> slots = std::vector<Value>(16);
  std::vector<loops::NumberStack> stacks = std::vector<loops::NumberStack>(2);
  std::atomic<bool> interrupt = false;
  std::function<int32_t(uint32_t)> on_step, on_poll;
  std::vector<uint32_t> steps, polls;

  Runtime() {
    activation.step = [](loops::ActivationRecord* a, uint32_t index) noexcept {
      auto& self = *static_cast<Record*>(a)->owner;
      self.steps.push_back(index);
      return self.on_step ? self.on_step(index) : 0;
    };
    activation.poll = [](loops::ActivationRecord* a, uint32_t index) noexcept {
      auto& self = *static_cast<Record*>(a)->owner;
      self.polls.push_back(index);
      return self.on_poll ? self.on_poll(index) : 0;
    };
    activation.interrupt = &interrupt;
    activation.slots = slots.data();
    activation.stacks = stacks.data();
    activation.owner = this;
  }
  int32_t run(const simd::Compiled& compiled) { return compiled.code()(&activation); }
};

inline std::unique_ptr<simd::Compiled> compile_code(const CodeBuilder& b, bool listing = false) {
  EXPECT_EQ(loops::verify(b.program), "") << loops::print(b.program);
  auto compiled = simd::compile(b.program, ops::Isa::avx2, {.listing = listing});
  EXPECT_NE(compiled, nullptr) << loops::print(b.program);
  return compiled;
}

}  // namespace covec::tests
