#include "jit/emit/stacks.hpp"

#include <algorithm>

namespace covec::emit {

using loops::Step;

Stacks::Stacks(const loops::Plan& plan, const Counts& counts, TypeOf type_of) {
  add_numbers(plan.number_stacks, counts);
  add_values(plan, counts, type_of);
}

void Stacks::add_numbers(size_t count, const Counts& counts) {
  for (size_t k = 0; k < count; ++k) {
    Stack& stack = numbers_.emplace_back();
    stack.name = "q" + std::to_string(k);
    stack.dtype = counts.dtype_of_numbers(k);
    if (!stack.dtype) continue;
    stack.each = sizeof(uint64_t);
    stack.bytes = counts.numbers(k) * static_cast<int64_t>(size_of(*stack.dtype));
  }
}

void Stacks::add_values(const loops::Plan& plan, const Counts& counts, TypeOf type_of) {
  for (size_t k = 0; k < plan.value_stacks; ++k) {
    Stack& stack = values_.emplace_back();
    stack.name = "p" + std::to_string(k);
    for (const Step& step : plan.steps) {
      const auto* const push = step.get_if<loops::step::PushValue>();
      if (push == nullptr || push->stack != k) continue;
      const Size bytes = Size::blocks(type_of(step.operands[0]).bytes());
      if (stack.each.known() && bytes.known())
        stack.each = std::max(stack.each.number(), bytes.number());
      else if (stack.each.is(0))
        stack.each = bytes;
      else if (stack.each != bytes)
        stack.each += bytes;
    }
    stack.bytes = counts.values(k) * stack.each;
  }
}

}  // namespace covec::emit
