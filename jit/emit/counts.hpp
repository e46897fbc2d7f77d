// Computes how often each stack is pushed at most, for the residuals that reverse loops need. A loop's number of
// iterations is known if its count stands in the program or follows from extents. Start at Counts.
#pragma once

#include <map>

#include "jit/emit/types.hpp"

namespace covec::emit {

class Counts {
 public:
  // Throws a Refusal where a loop that pushes has a count that only the run knows.
  Counts(const loops::Plan& plan, std::span<const std::optional<SlotType>> types);
  Size numbers(size_t stack) const { return find(numbers_, stack); }
  Size values(size_t stack) const { return find(values_, stack); }
  std::optional<Dtype> dtype_of_numbers(size_t stack) const;

 private:
  using Known = std::map<size_t, Size>;
  static Size find(const Known& counts, size_t stack) {
    const auto found = counts.find(stack);
    return found == counts.end() ? Size(0) : found->second;
  }
  std::optional<Size> iterations(size_t loop) const;
  const loops::instruction::Scalar* comparison_at_head(size_t loop) const;
  bool sets_zero(const loops::Instruction& i) const;
  std::optional<uint64_t> constant(loops::Register r) const;
  std::optional<Size> number(loops::Register r) const;
  void add(Known& counts, size_t stack, std::span<const std::optional<Size>> loops, uint32_t place) const;

  const std::span<const std::optional<SlotType>> types_;  // by slot
  const loops::Code& code_;
  std::vector<uint32_t> writes_;      // by register: how many instructions
  std::vector<uint32_t> written_at_;  // the last of them
  Known numbers_, values_;
  std::map<size_t, Dtype> dtypes_;
};

}  // namespace covec::emit
