#include "jit/loops/build/pause.hpp"

#include "jit/loops/operands.hpp"

namespace covec::loops {

using ir::Id;
using Op = Instruction::Kind;

namespace {

Value absent(const ir::Graph& graph, Id id) {
  if (!is_number(graph, id)) return {};
  constexpr uint64_t zero = 0;
  return Value::scalar(graph.values[id].type.dtype, &zero);
}

}  // namespace

void PauseBuilder::pause(const ir::Operation& operation) {
  Step step = steps_.describe(operation, Step::Kind::pause);
  steps_.drop_deaths(step);
  for (const Id id : operation.results) plan_.given.push_back({steps_.result_slot(id), absent(*plan_.graph, id)});
  plan_.pauses = true;
  plan_.goes_on = places_.fresh_slot();
  steps_.call(std::move(step));
  code_.append(Op::leave);
  paused_at_ = plan_.program.code.instructions.size();
  for (const Id id : operation.results) steps_.load_result(id);
}

namespace {

// Registers that the first part writes and the rest reads, before it has written them itself.
std::vector<Register> registers_across(const Code& code, std::span<const Instruction> first,
                                       std::span<const Instruction> rest) {
  enum class State : uint8_t { unwritten, written, settled };
  std::vector<State> states(code.registers.size(), State::unwritten);
  std::vector<Register> across;
  for (const Instruction& i : first) {
    if (writes(i)) states[i.to] = State::written;
  }
  const auto read = [&](Register r) {
    if (states[r] == State::written) across.push_back(r);
    states[r] = State::settled;
  };
  for (const Instruction& i : rest) {
    each_read(i, read);
    if (writes(i)) states[i.to] = State::settled;
  }
  return across;
}

// A load or a store for each register; their slots are in a row.
std::vector<Instruction> transfers(Op kind, std::span<const Register> registers, SlotId slot) {
  std::vector<Instruction> result;
  for (const Register number : registers) {
    Instruction& i = result.emplace_back();
    i.kind = kind;
    i.slot = slot++;
    (kind == Op::load ? i.to : i.operands[0]) = number;
  }
  return result;
}

}  // namespace

// The second call finds its numbers where the first one has left them:
//
//   if goes_on { registers = slots } else { …; slots = registers; leave }
//   …
void PauseBuilder::finish() {
  if (!plan_.pauses) return;
  Code& code = plan_.program.code;
  const auto pause = code.instructions.begin() + static_cast<ptrdiff_t>(paused_at_);
  const std::vector<Instruction> first(code.instructions.begin(), pause - 1), rest(pause, code.instructions.end());
  const std::vector<Register> live = registers_across(code, first, rest);
  const SlotId slots = plan_.slots;
  for (size_t k = 0; k < live.size(); ++k) places_.fresh_slot();
  const auto add = [&](const std::vector<Instruction>& more) {
    code.instructions.insert(code.instructions.end(), more.begin(), more.end());
  };
  code.instructions.clear();
  const Register goes_on = code_.fresh(Dtype::boolean, "goes_on");
  code_.load(goes_on, plan_.goes_on);
  code_.append(Op::if_, goes_on);
  add(transfers(Op::load, live, slots));
  code_.append(Op::else_);
  add(first);
  add(transfers(Op::store, live, slots));
  code_.append(Op::leave);
  code_.append(Op::end_if);
  add(rest);
}

}  // namespace covec::loops
