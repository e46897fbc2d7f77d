// A launch followed at once by the step that puts its only result into a part of a tensor that nobody needs as it was.
// Whether the kernel can write there is found out when it runs (jit/runtime/launch.cpp): the tensor must be nobody
// else's, the part of the result's shape. Where it cannot, both steps do what they say.
#include "jit/loops/write_through.hpp"

#include <algorithm>

#include "stdlib/ops/index/index.hpp"

namespace covec::loops {

namespace {

bool moves_slot(const Operand& operand) { return operand.kind == Operand::Kind::slot && operand.last; }

bool puts(const Step& step, const Launch& launch) {
  if (step.kind != Step::Kind::apply || step.entry != &ops::index_update_entry() || step.raises) return false;
  const SlotId result = launch.outputs[0].slot;
  const bool fits = step.parameters == 3 && moves_slot(step.operands[0]) && moves_slot(step.operands[1]) &&
                    step.operands[1].slot == result && step.operands[0].slot != result;
  if (!fits || step.operands[2].kind != Operand::Kind::constant) return false;
  const auto is_read = [&](const Launch::Input& input) { return input.slot == step.operands[0].slot; };
  return std::ranges::none_of(launch.inputs, is_read);
}

}  // namespace

void write_through(Plan& plan) {
  const std::vector<Instruction>& code = plan.program.code.instructions;
  for (size_t at = 0; at + 1 < code.size(); ++at) {
    if (code[at].kind != Instruction::Kind::step || code[at + 1].kind != Instruction::Kind::step) continue;
    const Step& first = plan.steps[code[at].index];
    if (first.kind != Step::Kind::launch) continue;
    Launch& launch = plan.launches[static_cast<size_t>(first.number)];
    if (launch.can_fail || launch.outputs.size() != 1 || !launch.reductions.empty()) continue;
    Step& second = plan.steps[code[at + 1].index];
    if (!puts(second, launch)) continue;
    launch.into = code[at + 1].index;
    second.unless_done = true;
  }
}

}  // namespace covec::loops
