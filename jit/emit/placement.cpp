#include "jit/emit/placement.hpp"

#include <algorithm>

namespace covec::emit {

using loops::Operand;
using loops::SlotId;
using loops::Step;

namespace {

struct Uses {
  std::vector<bool> written, moved;  // by slot
  explicit Uses(const loops::Plan& plan) : written(plan.slots), moved(plan.slots) {
    const auto write = [&](SlotId slot) {
      if (slot != Step::nowhere) written[slot] = true;
    };
    for (const loops::Instruction& i : plan.program.code.instructions) {
      if (const auto* const set = std::get_if<loops::instruction::SetElement>(&i)) write(set->slot);
    }
    for (const loops::Launch& launch : plan.launches) {
      for (const loops::Launch::Output& output : launch.outputs) write(output.slot);
      for (const loops::Launch::Reduction& reduction : launch.reductions) write(reduction.slot);
    }
    for (const Step& step : plan.steps) {
      std::ranges::for_each(step.results, write);
      if (!step.is<loops::step::Move>() && !step.is<loops::step::Box>()) continue;
      for (const SlotId slot : step.results) {
        if (slot != Step::nowhere) moved[slot] = true;
      }
      for (const Operand& operand : step.operands) {
        if (operand.kind == Operand::Kind::slot && operand.last) moved[operand.slot] = true;
      }
    }
  }
};

}  // namespace

// What is only read lies where it is given. What goes out is made there, where nothing moves it.
Placement::Placement(const loops::Plan& plan, std::span<const std::optional<SlotType>> types,
                     std::span<const Port> inputs, std::span<const Port> outputs)
    : memories_(plan.slots) {
  const Uses uses(plan);
  for (SlotId slot = 0; slot < plan.slots; ++slot) {
    if (types[slot] && !types[slot]->number) memories_[slot] = Memory::work;
  }
  for (const Port& output : outputs) {
    const auto same = [&](const Port& port) { return port.slot == output.slot; };
    if (output.slot == Step::nowhere || !types[output.slot] || output.type.number) continue;
    if (std::ranges::count_if(outputs, same) == 1 && !uses.moved[output.slot]) memories_[output.slot] = Memory::output;
  }
  for (const Port& input : inputs) {
    if (input.slot == Step::nowhere || input.type.number) continue;
    memories_[input.slot] = uses.written[input.slot] || uses.moved[input.slot] ? Memory::work : Memory::input;
  }
  for (const auto& [slot, value] : plan.constants) {
    if (value.is_tensor()) memories_[slot] = uses.written[slot] || uses.moved[slot] ? Memory::work : Memory::constant;
  }
}

}  // namespace covec::emit
