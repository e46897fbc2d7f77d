#include "jit/loops/build/stacks.hpp"

#include "jit/loops/operands.hpp"

namespace covec::loops {

using ir::Id;

StackBuilder::StackBuilder(const ir::Graph& graph, Plan& plan, CodeBuilder& code, Placement& places, StepBuilder& steps)
    : graph_(graph), code_(code), places_(places), steps_(steps), stacks_(graph.stacks) {
  find(graph.body);
  if (!graph.functions.all.empty() || graph.is_function)
    share(plan);
  else
    for (Stack& stack : stacks_) stack.index = stack.numbers ? plan.number_stacks++ : plan.value_stacks++;
}

// Functions that call themselves have the stacks of whoever calls them, by the same numbers.
void StackBuilder::share(Plan& plan) {
  for (uint32_t i = 0; i < stacks_.size(); ++i) stacks_[i].index = i;
  plan.number_stacks = plan.value_stacks = static_cast<uint32_t>(stacks_.size());
}

void StackBuilder::find(const ir::Region& region) {
  for (const ir::Operation& operation : region.operations) {
    for (const ir::Region& inner : operation.regions) find(inner);
    const bool pushes = operation.kind == ir::Kind::push, pops = operation.kind == ir::Kind::pop;
    if (!pushes && !pops) continue;
    Stack& stack = stacks_[static_cast<size_t>(operation.number)];
    const Value value = pushes ? operation.args[0] : graph_.symbol(operation.results[0]);
    const bool number = is_number(graph_, value);
    const Dtype dtype = number ? dtype_of(graph_, value) : stack.dtype;
    stack.numbers = stack.numbers && number && (!stack.seen || dtype == stack.dtype);
    stack.dtype = dtype;
    stack.seen = true;
  }
}

void StackBuilder::push(const ir::Operation& operation) {
  const Stack& stack = stack_of(operation);
  if (!stack.numbers) {
    return steps_.call(steps_.describe(operation, step::PushValue{stack.index}));
  }
  const Register value = places_.number(operation.args[0]).id;
  const uint32_t grow = steps_.add({.action = step::GrowNumbers{stack.index}, .place = operation.place});
  code_.append(instruction::PushNumber{stack.index, value, grow});
}

void StackBuilder::pop(const ir::Operation& operation) {
  const Stack& stack = stack_of(operation);
  const Id id = operation.results[0];
  if (stack.numbers) {
    return code_.append(instruction::PopNumber{places_.define_number(id), stack.index});
  }
  Step step = steps_.describe(operation, step::PopValue{stack.index, id});
  step.results.push_back(steps_.result_slot(id));
  steps_.call(std::move(step));
  steps_.load_result(id);
}

}  // namespace covec::loops
