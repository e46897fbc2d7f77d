// Makes loop programs for the tests, an instruction at a time.
#pragma once

#include "jit/loops/program.hpp"
#include "jit/loops/scalar_ops.hpp"

namespace covec::tests {

using loops::Instruction;
namespace instruction = loops::instruction;
using loops::Kernel;
using loops::KernelInstruction;
using loops::Program;
using ops::ScalarOp;

struct KernelMaker {
  Kernel kernel;

  uint32_t put(KernelInstruction i) {
    kernel.code.push_back(i);
    return static_cast<uint32_t>(kernel.code.size() - 1);
  }
  uint32_t load(Dtype dtype, bool uniform = false) {
    kernel.inputs.push_back({dtype, uniform});
    KernelInstruction i{.kind = KernelInstruction::Kind::load, .dtype = dtype};
    i.index = static_cast<uint32_t>(kernel.inputs.size() - 1);
    return put(i);
  }
  uint32_t number(Dtype dtype) {
    kernel.numbers.push_back(dtype);
    KernelInstruction i{.kind = KernelInstruction::Kind::number, .dtype = dtype};
    i.index = static_cast<uint32_t>(kernel.numbers.size() - 1);
    return put(i);
  }
  uint32_t constant(Dtype dtype, uint64_t bits) {
    KernelInstruction i{.kind = KernelInstruction::Kind::constant, .dtype = dtype};
    i.bits = bits;
    return put(i);
  }
  uint32_t scalar(ScalarOp op, Dtype dtype, uint32_t a, uint32_t b = 0, uint32_t c = 0) {
    return put({KernelInstruction::Kind::scalar, dtype, op, loops::info_of(op).arity, {a, b, c}});
  }
  void rare(uint32_t condition) {
    KernelInstruction i{.kind = KernelInstruction::Kind::rare};
    i.operands[0] = condition;
    put(i);
  }
  uint32_t end_rare(Dtype dtype, uint32_t condition, uint32_t made, uint32_t usual) {
    return put({KernelInstruction::Kind::end_rare, dtype, ScalarOp::add, 0, {condition, made, usual}});
  }
  uint32_t rare_result(Dtype dtype, uint32_t condition, uint32_t made, uint32_t usual) {
    return put({KernelInstruction::Kind::rare_result, dtype, ScalarOp::add, 0, {condition, made, usual}});
  }
  void output(uint32_t value) { kernel.outputs.push_back({value, kernel.code[value].dtype}); }
};

struct CodeMaker {
  Program program{{"f", {}, {}, {}}, {}};

  loops::Register reg(Dtype dtype, const char* name = "") {
    program.code.registers.push_back(dtype);
    program.code.register_names.push_back(name);
    return static_cast<loops::Register>(program.code.registers.size() - 1);
  }
  void put(Instruction i) { program.code.instructions.push_back(std::move(i)); }
  void constant(loops::Register to, uint64_t bits) { put(instruction::Constant{to, bits}); }
  void scalar(ScalarOp op, loops::Register to, loops::Register a, loops::Register b = 0, loops::Register c = 0) {
    put(instruction::Scalar{op, loops::info_of(op).arity, to, {a, b, c}});
  }
  void load(loops::SlotId slot, loops::Register to) { put(instruction::Load{to, slot}); }
  void store(loops::SlotId slot, loops::Register from) { put(instruction::Store{slot, from}); }
  void step(uint32_t index) { put(instruction::CallStep{index}); }
};

}  // namespace covec::tests
