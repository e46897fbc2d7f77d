#include "jit/emit/steps.hpp"

#include <algorithm>

#include "jit/emit/launches.hpp"
#include "jit/emit/operators.hpp"
#include "stdlib/value/string.hpp"

namespace covec::emit {

using loops::Operand;
using loops::SlotId;
using loops::Step;

void StepWriter::write(uint32_t index) {
  const Step& step = frame_.plan.steps[index];
  if (step.raises) return frame_.put(failing(index));
  switch (step.kind) {
    case Step::Kind::apply: write_operator(frame_, step); break;
    case Step::Kind::launch: write_launch(frame_, frame_.plan.launches[static_cast<size_t>(step.number)]); break;
    case Step::Kind::move:
    case Step::Kind::box: slot_moves_.write(step); break;
    case Step::Kind::drop:
    case Step::Kind::undefined:
    case Step::Kind::interrupt: break;
    case Step::Kind::dimension: {
      const Size& extent = frame_.type(step.operands[0].slot).extents[static_cast<size_t>(step.number)];
      frame_.put(Frame::number(step.results[0]) + " = " + extent.text() + ";");
      break;
    }
    case Step::Kind::push: push(step); break;
    case Step::Kind::pop: pop(step); break;
    default: refuse(step);
  }
  frame_.end_step();
}

void StepWriter::refuse(const Step& step) const {
  using Kind = Step::Kind;
  switch (step.kind) {
    case Kind::invoke:
    case Kind::again: throw Refusal{"it calls itself", step.place};
    case Kind::interpret:
    case Kind::call:
    case Kind::pause: throw Refusal{"the interpreter runs a part of it", step.place};
    default: throw Refusal{"it has a list whose length only the run knows", step.place};
  }
}

std::string StepWriter::failing(uint32_t index) {
  const Step& step = frame_.plan.steps[index];
  if (step.kind == Step::Kind::assertion) return frame_.fail(step.place, step.operands[0].value.string().text);
  return frame_.fail(step.place, error_text(step, *frame_.plan.graph));
}

// --- moves ---

void StepWriter::SlotMoves::copy(const std::string& to, const Argument& from) {
  if (from.is_number()) return frame.put(to + " = " + from.text + ";");
  if (!from.type.is_empty()) frame.copy(to, from.text, from.type.bytes());
}

// Nobody needs the operand afterwards: the two exchange their memory instead.
bool StepWriter::SlotMoves::may_exchange(const Operand& from, SlotId to) const {
  return from.kind == Operand::Kind::slot && from.last && !frame.type(to).number &&
         frame.memory_of(from.slot) == Memory::work && frame.memory_of(to) == Memory::work;
}

void StepWriter::SlotMoves::write(const Step& step) {
  struct Move {
    Argument to, from;
    const Operand* operand;
  };
  std::vector<Move> moves;
  for (size_t k = 0; k < step.results.size(); ++k) {
    if (step.results[k] == Step::nowhere || !frame.has(step.results[k])) continue;
    moves.push_back({frame.argument(step.results[k]), frame.argument(step.operands[k]), &step.operands[k]});
  }
  // What another move overwrites is put aside before.
  for (size_t k = 0; k < moves.size(); ++k) {
    const auto overwrites = [&](const Move& move) {
      return &move != &moves[k] && move.to.slot == moves[k].from.slot && moves[k].from.slot != Step::nowhere;
    };
    if (std::ranges::none_of(moves, overwrites)) continue;
    Argument& from = moves[k].from;
    std::string kept;
    if (from.is_number()) {
      kept = frame.fresh("t");
      frame.put("const " + number_type(from.type.dtype) + " " + kept + " = " + from.text + ";");
    } else {
      kept = frame.scratch(from.type.bytes(), memory_type(from.type.dtype));
      copy(kept, from);
    }
    from.text = kept;
    moves[k].operand = nullptr;
  }
  for (const Move& move : moves) {
    if (move.operand == nullptr || !may_exchange(*move.operand, move.to.slot)) {
      copy(move.to.text, move.from);
      continue;
    }
    const std::string type = memory_type(move.to.type.dtype), kept = frame.fresh("t");
    frame.put("{ " + type + "* const " + kept + " = " + move.to.text + "; " + move.to.text + " = " + move.from.text +
              "; " + move.from.text + " = " + kept + "; }");
  }
}

// --- stacks of tensors ---

void StepWriter::push(const Step& step) {
  const Argument value = frame_.argument(step.operands[0]);
  const Stack& stack = frame_.stacks().values()[static_cast<size_t>(step.number)];
  if (value.is_number())
    frame_.put("{ const " + number_type(value.type.dtype) + " t = " + value.text + "; memcpy(" + stack.name +
               ", &t, sizeof t); }");
  else
    slot_moves_.copy(stack.name, value);
  frame_.put(stack.name + " += " + stack.each.text() + ";");
}

void StepWriter::pop(const Step& step) {
  const Stack& stack = frame_.stacks().values()[static_cast<size_t>(step.number)];
  frame_.put(stack.name + " -= " + stack.each.text() + ";");
  if (step.results[0] == Step::nowhere) return;
  const Argument to = frame_.argument(step.results[0]);
  if (!to.type.is_empty()) frame_.copy((to.is_number() ? "&" : "") + to.text, stack.name, to.type.bytes());
}

}  // namespace covec::emit
