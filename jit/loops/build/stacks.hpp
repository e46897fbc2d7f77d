// Builds the stacks that hold a reverse sweep's residuals. A stack of numbers of one dtype holds words, which only code
// uses. Any other stack holds Values, which steps use.
#pragma once

#include "jit/loops/build/steps.hpp"

namespace covec::loops {

class StackBuilder {
 public:
  StackBuilder(const ir::Graph& graph, Plan& plan, CodeBuilder& code, Placement& places, StepBuilder& steps);
  void push(const ir::Operation& operation);
  void pop(const ir::Operation& operation);
  // The number of the plan's stack that an operation uses; nothing where it is one of values.
  std::optional<uint32_t> of_numbers(const ir::Operation& operation) const {
    const Stack& stack = stack_of(operation);
    return stack.numbers ? std::optional(stack.index) : std::nullopt;
  }

 private:
  void share(Plan& plan);
  struct Stack {
    bool seen = false, numbers = true;
    Dtype dtype = Dtype::f64;
    uint32_t index = 0;  // among those of its kind
  };
  void find(const ir::Region& region);
  const Stack& stack_of(const ir::Operation& operation) const { return stacks_[static_cast<size_t>(operation.number)]; }

  const ir::Graph& graph_;
  CodeBuilder& code_;
  Placement& places_;
  StepBuilder& steps_;
  std::vector<Stack> stacks_;  // by the graph's numbers
};

}  // namespace covec::loops
