// Decides about a function before it is emitted: which registers hold one constant, which comparisons need no register
// for their result, and which registers are free after an instruction.
#pragma once

#include <optional>
#include <vector>

#include "jit/simd/machine/parts.hpp"

namespace covec::simd {

class CodePlan {
 public:
  // `part`: whose code it is; nullptr: no part's.
  CodePlan(const loops::Code& code, const Part* part);
  const std::optional<uint64_t>& constant(loops::Register r) const { return constants_[r]; }
  // A comparison that the instruction which reads its result makes for itself; and that of such an instruction.
  bool is_fused(size_t at) const { return fused_into_[at] != none; }
  const loops::instruction::Scalar* comparison_of(size_t at) const {
    if (comparison_of_[at] == none) return nullptr;
    return &std::get<loops::instruction::Scalar>(code_.instructions[comparison_of_[at]]);
  }
  // Whether the register's place may be taken after this instruction.
  bool is_last_use(loops::Register r, size_t at) const { return last_use_[r] == at; }

 private:
  static constexpr size_t not_local = SIZE_MAX, none = SIZE_MAX;
  Dtype dtype(loops::Register r) const { return code_.registers[r]; }
  void find_constants(const Part* part);
  void find_fusions(const Part* part);
  bool makes_condition_of(const loops::instruction::Scalar& compare, const loops::Instruction& next) const;
  void find_locals();

  const loops::Code& code_;
  std::vector<std::optional<uint64_t>> constants_;
  std::vector<size_t> fused_into_, comparison_of_;  // by instruction
  std::vector<size_t> last_use_;
};

}  // namespace covec::simd
