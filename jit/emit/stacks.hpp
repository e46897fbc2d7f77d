// The stacks of a function, on which a loop leaves what the loop of its derivative takes back: their names and their
// sizes in work memory. Start at Stacks.
#pragma once

#include "jit/emit/counts.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::emit {

struct Stack {
  std::string name;
  Size each = 0, bytes = 0;         // of a value, at most; of the whole
  std::optional<Dtype> dtype = {};  // of numbers
};

class Stacks {
 public:
  // `type_of`: of what a step pushes.
  using TypeOf = FunctionRef<SlotType(const loops::Operand& operand)>;
  Stacks(const loops::Plan& plan, const Counts& counts, TypeOf type_of);
  const std::vector<Stack>& numbers() const { return numbers_; }
  const std::vector<Stack>& values() const { return values_; }

 private:
  void add_numbers(size_t count, const Counts& counts);
  void add_values(const loops::Plan& plan, const Counts& counts, TypeOf type_of);

  std::vector<Stack> numbers_, values_;
};

}  // namespace covec::emit
