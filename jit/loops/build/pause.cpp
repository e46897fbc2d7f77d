#include "jit/loops/build/pause.hpp"

#include "jit/loops/operands.hpp"

namespace covec::loops {

using ir::Id;

namespace {

Value absent(const ir::Graph& graph, Id id) {
  if (!is_number(graph, id)) return {};
  constexpr uint64_t zero = 0;
  return Value::scalar(graph.values[id].type.dtype, &zero);
}

}  // namespace

void PauseBuilder::pause(const ir::Operation& operation) {
  Step step = steps_.describe(operation, step::Pause{});
  steps_.drop_dead_values(step);
  for (const Id id : operation.results) plan_.given.push_back({steps_.result_slot(id), absent(*plan_.graph, id)});
  plan_.pauses = true;
  plan_.goes_on = places_.fresh_slot();
  steps_.call(std::move(step));
  code_.append(instruction::Leave{});
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
    if (const Register* const to = written_by(i)) states[*to] = State::written;
  }
  const auto read = [&](Register r) {
    if (states[r] == State::written) across.push_back(r);
    states[r] = State::settled;
  };
  for (const Instruction& i : rest) {
    each_read(i, read);
    if (const Register* const to = written_by(i)) states[*to] = State::settled;
  }
  return across;
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
  // The slots of the registers are in a row.
  const auto slot_of = [&](size_t k) { return slots + static_cast<SlotId>(k); };
  const auto add = [&](const std::vector<Instruction>& more) {
    code.instructions.insert(code.instructions.end(), more.begin(), more.end());
  };
  code.instructions.clear();
  const Register goes_on = code_.fresh(Dtype::boolean, "goes_on");
  code_.load(goes_on, plan_.goes_on);
  code_.append(instruction::If{goes_on});
  for (size_t k = 0; k < live.size(); ++k) code_.load(live[k], slot_of(k));
  code_.append(instruction::Else{});
  add(first);
  for (size_t k = 0; k < live.size(); ++k) code_.store(slot_of(k), live[k]);
  code_.append(instruction::Leave{});
  code_.append(instruction::EndIf{});
  add(rest);
}

}  // namespace covec::loops
