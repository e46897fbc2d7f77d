#include "jit/loops/build_routine.hpp"

#include <algorithm>

#include "jit/loops/fail_at_steps.hpp"
#include "jit/loops/operands.hpp"

namespace covec::loops {

namespace {

uint32_t add_step(Plan& plan) {
  plan.steps.push_back({.action = step::Replay{}});
  return static_cast<uint32_t>(plan.steps.size() - 1);
}

}  // namespace

void call_routine(Plan& plan) {
  Routine& routine = *plan.program.routine;
  routine.code.name = plan.program.code.name;
  routine.frames = plan.graph->frames_inside();
  fail_at_steps(routine.code.instructions);
  plan.steps.clear();
  plan.slots = 0;
  CodeBuilder code(plan.program.code);
  std::vector<Register> numbers;
  for (const ir::Id id : plan.graph->body.parameters) {
    plan.inputs.push_back(plan.slots++);
    numbers.push_back(code.fresh(plan.graph->values[id].type.dtype, plan.graph->values[id].name));
    code.load(numbers.back(), plan.inputs.back());
  }
  const Register result = code.fresh(routine.code.registers[routine.result]);
  code.append(instruction::CallRoutine{result, numbers, add_step(plan)});
  plan.result.kind = Operand::Kind::slot;
  plan.result.slot = plan.slots++;
  code.store(plan.result.slot, result);
  code.append(instruction::Leave{});
}

}  // namespace covec::loops
