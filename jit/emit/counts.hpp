// How often each stack is pushed on at most: what the way back through loops needs of the way forth. A loop whose count
// is written in the program has a known number of iterations. Start at Counts.
#pragma once

#include <map>

#include "jit/emit/types.hpp"

namespace covec::emit {

class Counts {
 public:
  // Throws a Refusal where a loop that pushes has a count that only the run knows.
  explicit Counts(const loops::Plan& plan);
  size_t numbers(size_t stack) const { return find(numbers_, stack); }
  size_t values(size_t stack) const { return find(values_, stack); }
  std::optional<Dtype> dtype_of_numbers(size_t stack) const;

 private:
  static size_t find(const std::map<size_t, size_t>& counts, size_t stack) {
    const auto found = counts.find(stack);
    return found == counts.end() ? 0 : found->second;
  }
  std::optional<int64_t> iterations(size_t loop) const;
  std::optional<uint64_t> constant(loops::Register r) const;
  void add(std::map<size_t, size_t>& counts, size_t stack, std::span<const std::optional<int64_t>> loops,
           uint32_t place) const;

  const loops::Code& code_;
  std::vector<uint32_t> writes_;      // by register: how many instructions
  std::vector<uint32_t> written_at_;  // the last of them
  std::map<size_t, size_t> numbers_, values_;
  std::map<size_t, Dtype> dtypes_;
};

}  // namespace covec::emit
