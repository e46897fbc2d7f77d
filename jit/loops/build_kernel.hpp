// The ScalarBuilders of the loop IR: what an operator's body emits becomes instructions of a Kernel or of Code. A
// kernel's equal instructions become one, and what follows from constants alone is computed where a condition needs it.
#pragma once

#include <map>
#include <optional>
#include <tuple>

#include "jit/loops/program.hpp"
#include "stdlib/ops/builder.hpp"

namespace covec::loops {

class KernelBuilder final : public ops::ScalarBuilder {
 public:
  explicit KernelBuilder(Kernel& kernel) : kernel_(kernel), scopes_(1) {}
  ops::ScalarRef constant(Dtype dtype, uint64_t bits) override;
  ops::ScalarRef emit(ops::ScalarOp op, Dtype result, ops::ScalarRef a, ops::ScalarRef b, ops::ScalarRef c) override;
  ops::ScalarRef rare(ops::ScalarRef condition, ops::ScalarRef usual, ops::ScalarRef (*slow)(void* state),
                      void* state) override;
  ops::ScalarRef load(Dtype dtype, uint32_t input);
  ops::ScalarRef number(Dtype dtype, uint32_t index);
  // The elements where `failing` holds cannot be computed.
  void fail_where(ops::ScalarRef failing);
  std::optional<uint64_t> constant_bits(ops::ScalarRef value) const;

 private:
  using Key =
      std::tuple<KernelInstruction::Kind, Dtype, ops::ScalarOp, uint32_t, uint32_t, uint32_t, uint32_t, uint64_t>;
  ops::ScalarRef append(const KernelInstruction& instruction);
  ops::ScalarRef shared(const KernelInstruction& instruction);
  std::optional<bool> known(ops::ScalarOp op, ops::ScalarRef a, ops::ScalarRef b) const;

  Kernel& kernel_;
  std::vector<std::map<Key, uint32_t>> scopes_;  // what a rare part computes is nobody else's
};

class CodeBuilder final : public ops::ScalarBuilder {
 public:
  explicit CodeBuilder(Code& code) : code_(code) {}
  ops::ScalarRef constant(Dtype dtype, uint64_t bits) override;
  ops::ScalarRef emit(ops::ScalarOp op, Dtype result, ops::ScalarRef a, ops::ScalarRef b, ops::ScalarRef c) override;
  ops::ScalarRef rare(ops::ScalarRef condition, ops::ScalarRef usual, ops::ScalarRef (*slow)(void* state),
                      void* state) override;
  ops::ScalarRef convert(ops::ScalarRef value, Dtype to);
  Register fresh(Dtype dtype, std::string_view name = {});
  Dtype dtype_of(Register r) const { return code_.registers[r]; }
  Instruction& append(Instruction::Kind kind) {
    Instruction& instruction = code_.instructions.emplace_back();
    instruction.kind = kind;
    return instruction;
  }
  void append(Instruction::Kind kind, Register operand) { append(kind).operands[0] = operand; }
  void move(Register to, Register from);
  void load(Register to, SlotId slot);
  void store(SlotId slot, Register from);
  void step(uint32_t index) { append(Instruction::Kind::step).index = index; }

 private:
  Code& code_;
};

uint64_t bits_of(const Value& number);

}  // namespace covec::loops
