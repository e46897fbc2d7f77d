#include "jit/emit/steps.hpp"

#include <stdexcept>

#include <algorithm>

#include "jit/emit/launches.hpp"
#include "jit/emit/operators.hpp"
#include "stdlib/value/match.hpp"

namespace covec::emit {

using loops::Operand;
using loops::SlotId;
using loops::Step;

void StepWriter::write(uint32_t index) {
  const Step& step = frame_.plan.steps[index];
  const auto refuse = [&](const char* why) { throw Refusal{why, step.place}; };
  const auto stack = [&](uint32_t number) -> const Stack& { return frame_.stacks().values()[number]; };
  match(
      step.action, [&](const loops::step::Apply& apply) { write_operator(frame_, step, apply); },
      [&](const OneOf<loops::step::Raise, loops::step::Assertion> auto&) { frame_.put(failing(index)); },
      [&](const loops::step::RunLaunch& run) { write_launch(frame_, frame_.plan.launches[run.launch]); },
      [&](const OneOf<loops::step::Move, loops::step::Box> auto&) { slot_moves_.write(step); },
      [](const OneOf<loops::step::Drop, loops::step::Undefined, loops::step::PollInterrupt> auto&) {},
      [&](const loops::step::Dimension& dimension) {
        const Size& extent = frame_.type(step.operands[0].slot).extents[dimension.axis];
        frame_.put(Frame::number(step.results[0]) + " = " + extent.text() + ";");
      },
      [&](const loops::step::PushValue& value) { push(step, stack(value.stack)); },
      [&](const loops::step::PopValue& value) { pop(step, stack(value.stack)); },
      [&](const OneOf<loops::step::Invoke, loops::step::Replay> auto&) { refuse("it calls itself"); },
      [&](const OneOf<loops::step::Interpret, loops::step::CallValue, loops::step::Pause> auto&) {
        refuse("the interpreter runs a part of it");
      },
      [&](const OneOf<loops::step::MakeRoom, loops::step::ListPush, loops::step::ListSet,
                      loops::step::ListItem> auto&) { refuse("it has a list whose length is known only at run time"); },
      [](const OneOf<loops::step::GrowNumbers, loops::step::DrawAhead, loops::step::RunVectorLoop,
                     loops::step::RunLaneLoop, loops::step::RunRowTiles, loops::step::Fetch> auto&) {
        throw std::logic_error("a step that no plain plan calls");
      });
  frame_.end_step();
}

std::string StepWriter::failing(uint32_t index) {
  const Step& step = frame_.plan.steps[index];
  if (const auto* assertion = step.get_if<loops::step::Assertion>()) return frame_.fail(step.place, assertion->text);
  return frame_.fail(step.place, error_text(*step.op()->entry));
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

void StepWriter::push(const Step& step, const Stack& stack) {
  const Argument value = frame_.argument(step.operands[0]);
  if (value.is_number())
    frame_.put("{ const " + number_type(value.type.dtype) + " t = " + value.text + "; memcpy(" + stack.name +
               ", &t, sizeof t); }");
  else
    slot_moves_.copy(stack.name, value);
  frame_.put(stack.name + " += " + stack.each.text() + ";");
}

void StepWriter::pop(const Step& step, const Stack& stack) {
  frame_.put(stack.name + " -= " + stack.each.text() + ";");
  if (step.results[0] == Step::nowhere) return;
  const Argument to = frame_.argument(step.results[0]);
  if (!to.type.is_empty()) frame_.copy((to.is_number() ? "&" : "") + to.text, stack.name, to.type.bytes());
}

}  // namespace covec::emit
