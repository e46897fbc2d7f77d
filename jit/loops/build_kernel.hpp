// The ScalarBuilders of the loop IR: what an operator's body emits becomes instructions of a Kernel or of Code. A
// kernel's equal instructions become one, and what follows from constants alone is computed where a condition needs it.
#pragma once

#include <optional>
#include <vector>

#include "jit/loops/program.hpp"
#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/ops/contract/entry.hpp"

namespace covec::loops {

// What an operator hardly ever needs, while its body is emitted: a long piece is not emitted, but counted to see that
// it is long, and the condition is kept. Where it holds, the operator's eager kernel gives the result.
class RarePieces {
 public:
  void begin(bool may_leave_out) {
    may_leave_out_ = may_leave_out;
    condition_.reset();
  }
  std::optional<ops::ScalarRef> end() {
    may_leave_out_ = false;
    return condition_;
  }
  // Whether the piece is left out: `usual` stands for it.
  bool leaves_out(ops::ScalarBuilder& builder, ops::ScalarRef condition, ops::ScalarRef usual, uint32_t longest,
                  ops::ScalarRef (*slow)(void* state), void* state);
  // Instructions are only counted.
  bool counting() const { return counting_; }
  ops::ScalarRef count(Dtype dtype) {
    ++count_;
    widens_ |= dtype != Dtype::boolean && size_of(dtype) > width_;
    return {0, dtype};
  }

 private:
  bool may_leave_out_ = false, counting_ = false, widens_ = false;
  uint32_t count_ = 0;
  size_t width_ = 8;
  std::optional<ops::ScalarRef> condition_;
};

// The instructions of a kernel by what they compute: a table with open addressing, as almost every instruction of
// every kernel passes here. What a rare part computes is nobody else's: when it ends, they are forgotten.
class SharedInstructions {
 public:
  explicit SharedInstructions(const Kernel& kernel) : kernel_(kernel), places_(256, nothing) {}
  // An instruction that computes the same, or nothing.
  static constexpr uint32_t nothing = UINT32_MAX;
  uint32_t find(const KernelInstruction& instruction) const;
  void add(uint32_t id);  // of an instruction that find() does not find
  void begin_rare() { scopes_.push_back(added_.size()); }
  void end_rare();

 private:
  void put(uint32_t id);
  const Kernel& kernel_;
  std::vector<uint32_t> places_;  // ids; a power of two, at most half of them taken
  std::vector<uint32_t> added_;   // in order
  std::vector<size_t> scopes_;    // how many had been added when each open rare part began
};

class KernelBuilder final : public ops::ScalarBuilder {
 public:
  explicit KernelBuilder(Kernel& kernel, bool outline = true) : kernel_(kernel), made_(kernel), outline_(outline) {}
  ops::ScalarRef constant(Dtype dtype, uint64_t bits) override;
  ops::ScalarRef emit(ops::ScalarOp op, Dtype result, ops::ScalarRef a, ops::ScalarRef b, ops::ScalarRef c) override;
  ops::ScalarRef rare(ops::ScalarRef condition, ops::ScalarRef usual, ops::ScalarRef (*slow)(void* state),
                      void* state) override;
  // An operator: conversions, its body, what is outlined of it.
  ops::ScalarRef apply(const ops::Call& call, std::span<const ops::ScalarRef> operands);
  ops::ScalarRef load(Dtype dtype, uint32_t input);
  ops::ScalarRef number(Dtype dtype, uint32_t index);
  // The elements where `failing` holds cannot be computed.
  void fail_where(ops::ScalarRef failing);
  std::optional<uint64_t> constant_bits(ops::ScalarRef value) const;
  ops::ScalarRef copy(KernelInstruction i, const Kernel& from, std::span<const ops::ScalarRef> values);

 private:
  ops::ScalarRef append(const KernelInstruction& instruction);
  ops::ScalarRef shared(const KernelInstruction& instruction);
  std::optional<bool> known(ops::ScalarOp op, ops::ScalarRef a, ops::ScalarRef b) const;

  ops::ScalarRef converted(ops::ScalarRef value, Dtype to) {
    return value.dtype == to ? value : emit(ops::ScalarOp::convert, to, value, {}, {});
  }

  Kernel& kernel_;
  SharedInstructions made_;
  const bool outline_;
  RarePieces rare_;
};

class CodeBuilder final : public ops::ScalarBuilder {
 public:
  explicit CodeBuilder(Code& code) : code_(code) {}
  ops::ScalarRef constant(Dtype dtype, uint64_t bits) override;
  ops::ScalarRef emit(ops::ScalarOp op, Dtype result, ops::ScalarRef a, ops::ScalarRef b, ops::ScalarRef c) override;
  ops::ScalarRef rare(ops::ScalarRef condition, ops::ScalarRef usual, ops::ScalarRef (*slow)(void* state),
                      void* state) override;
  // An operator's body; `otherwise` is set where it is known only at run time whether it gives the result: where that
  // holds, the operator must be applied instead.
  ops::ScalarRef apply(const ops::Call& call, std::span<const ops::ScalarRef> operands,
                       std::optional<ops::ScalarRef>& otherwise);
  ops::ScalarRef convert(ops::ScalarRef value, Dtype to);
  Register fresh(Dtype dtype, std::string_view name = {});
  void name(Register number, std::string_view name) { code_.register_names[number] = name; }
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
  // if (condition), hardly ever; the caller appends end_if.
  void begin_seldom(Register condition);
  void drop_empty_else();  // when nothing has been appended since

 private:
  Code& code_;
  RarePieces rare_;
};

uint64_t bits_of(const Value& number);

}  // namespace covec::loops
