#include "jit/loops/build_routine.hpp"

#include <algorithm>

#include "jit/loops/operands.hpp"

namespace covec::loops {

namespace {

// What only steps need goes, and so does what stands behind one in its block.
void fail_at_steps(Code& code) {
  std::vector<Instruction> kept;
  size_t skipped = 0;  // blocks inside a part that is not reached
  bool reached = true;
  for (Instruction& i : code.instructions) {
    const bool opens = is<instruction::If, instruction::Loop>(i);
    const bool closes = is<instruction::EndIf, instruction::EndLoop>(i);
    if (!reached) {
      if (skipped == 0 && (closes || is<instruction::Else>(i))) reached = true;
      if (opens) ++skipped;
      if (closes && skipped > 0) --skipped;
      if (!reached) continue;
    }
    if (is<instruction::Store>(i)) continue;
    if (is<instruction::CallStep>(i)) {
      i = instruction::Fail{};
      reached = false;
    }
    kept.push_back(std::move(i));
  }
  code.instructions = std::move(kept);
}

uint32_t add_step(Plan& plan) {
  plan.steps.push_back({.action = step::Replay{}});
  return static_cast<uint32_t>(plan.steps.size() - 1);
}

}  // namespace

void call_routine(Plan& plan) {
  Routine& routine = *plan.program.routine;
  routine.code.name = plan.program.code.name;
  routine.frames = plan.graph->frames_inside();
  fail_at_steps(routine.code);
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
