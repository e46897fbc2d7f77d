// The ScalarBuilder of kernels: it turns an operator's body into instructions of a Kernel. Equal instructions become
// one. Results of constants are computed where a condition needs them.
#pragma once

#include <optional>
#include <vector>

#include "jit/loops/program.hpp"
#include "jit/loops/rare_pieces.hpp"
#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/ops/contract/entry.hpp"

namespace covec::loops {

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
  explicit KernelBuilder(Kernel& kernel, bool outline = true, bool spell_out = false)
      : kernel_(kernel), made_(kernel), outline_(outline), spell_out_(spell_out) {}
  ops::ScalarRef constant(Dtype dtype, uint64_t bits) override;
  ops::ScalarRef emit(ops::ScalarOp op, Dtype result, ops::ScalarRef a, ops::ScalarRef b, ops::ScalarRef c) override;
  ops::ScalarRef convert(ops::ScalarRef value, Dtype to) override;
  ops::ScalarRef rare(ops::ScalarRef condition, ops::ScalarRef usual, ops::ScalarRef (*slow)(void* state),
                      void* state) override;
  // What is emitted between them is jumped over where the condition holds for no lane.
  void begin_rare(ops::ScalarRef condition);
  struct RareResult {
    ops::ScalarRef inside, usual;  // where the condition does not hold it is the usual one, from before begin_rare
  };
  std::vector<ops::ScalarRef> end_rare(ops::ScalarRef condition, std::span<const RareResult> results);
  // An operator: conversions, its body, what is outlined of it.
  ops::ScalarRef apply(const ops::Call& call, std::span<const ops::ScalarRef> operands);
  ops::ScalarRef load(Dtype dtype, uint32_t input);
  ops::ScalarRef number(Dtype dtype, uint32_t index);
  // The elements where `failing` holds cannot be computed.
  void fail_where(ops::ScalarRef failing);
  std::optional<uint64_t> constant_bits(ops::ScalarRef value) const;
  ops::ScalarRef moved(KernelInstruction i, std::span<const ops::ScalarRef> values);
  ops::ScalarRef expanded(const KernelInstruction& i, const Kernel& from, std::span<const ops::ScalarRef> values);

 private:
  ops::ScalarRef append(const KernelInstruction& instruction);
  ops::ScalarRef shared(const KernelInstruction& instruction);
  std::optional<bool> known(ops::ScalarOp op, ops::ScalarRef a, ops::ScalarRef b) const;

  Kernel& kernel_;
  SharedInstructions made_;
  const bool outline_, spell_out_;
  RarePieces rare_;
};

}  // namespace covec::loops
