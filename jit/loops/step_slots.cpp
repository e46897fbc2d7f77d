#include "jit/loops/step_slots.hpp"

namespace covec::loops {

namespace {

void make(const std::vector<SlotId>& made, StepSlots& slots) {
  slots.made.insert(made.begin(), made.end());
  slots.changed.insert(made.begin(), made.end());
}

void note_launch(const Plan& plan, const Launch& launch, StepSlots& slots) {
  if (launch.product != Launch::nowhere) note_step(plan, plan.steps[launch.product], slots);
  for (const Launch::Input& input : launch.inputs) {
    slots.read.insert(input.slot);
    if (input.last) slots.changed.insert(input.slot);
  }
  for (const Launch::Output& output : launch.outputs) make({output.slot}, slots);
  for (const Launch::Reduction& reduction : launch.reductions) make({reduction.slot}, slots);
}

void note_vector_loop(const VectorLoop& loop, StepSlots& slots) {
  const auto note = [&](const VectorLoop::Access& access) { slots.read.insert(access.slot); };
  for (const VectorLoop::Access& read : loop.reads) note(read);
  for (const VectorLoop::Number& number : loop.numbers) note(number.element);
  for (const VectorLoop::Access& write : loop.writes) {
    if (write.slot != Step::nowhere) make({write.slot}, slots);
  }
}

}  // namespace

void note_operand(const Operand& operand, StepSlots& slots) {
  if (operand.kind == Operand::Kind::tree)
    ir::each_symbol(operand.value, [&](ir::Id slot) { slots.read.insert(slot); });
  if (operand.kind != Operand::Kind::slot) return;
  slots.read.insert(operand.slot);
  if (operand.last) slots.changed.insert(operand.slot);
}

void note_step(const Plan& plan, const Step& step, StepSlots& slots) {
  for (const Operand& operand : step.operands) note_operand(operand, slots);
  make(step.results, slots);
  make(step.drops, slots);
  if (const auto* run = step.get_if<step::RunLaunch>()) note_launch(plan, plan.launches[run->launch], slots);
  if (const auto* run = step.get_if<step::RunRowTiles>()) {
    for (const RowTileSteps::Member& member : plan.row_tiles[run->row_tiles].members)
      note_step(plan, plan.steps[member.step], slots);
  }
  if (const auto* run = step.get_if<step::RunVectorLoop>()) note_vector_loop(plan.vector_loops[run->loop], slots);
}

std::vector<SlotId> slots_of_objects(const Plan& plan) {
  StepSlots slots;
  for (const Step& step : plan.steps) note_step(plan, step, slots);
  slots.changed.insert(plan.inputs.begin(), plan.inputs.end());
  for (const auto& [slot, value] : plan.constants) slots.changed.erase(slot);
  slots.changed.erase(Step::nowhere);
  return {slots.changed.begin(), slots.changed.end()};
}

}  // namespace covec::loops
