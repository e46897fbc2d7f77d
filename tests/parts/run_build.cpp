// Loop programs: the code and the kernels as `covec dump --loops` prints them, and what each step is. In a step's
// operands, ! is what is moved out of its slot: nobody needs it afterwards.
#include <stdexcept>

#include "jit/loops/lanes/varying.hpp"
#include "jit/pipeline.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/value/match.hpp"
#include "tests/parts/graph_text.hpp"

namespace covec::test {

namespace {

using loops::Operand;
using loops::Plan;
using loops::Step;

std::string text_of_slots(const std::vector<loops::SlotId>& slots) {
  std::string text;
  for (const loops::SlotId slot : slots) {
    text += (text.empty() ? "" : ", ") + (slot == Step::nowhere ? "_" : "slot" + std::to_string(slot));
  }
  return text;
}

std::string text_of_operand(const Operand& operand) {
  if (operand.kind == Operand::Kind::constant) return describe(operand.value);
  if (operand.kind == Operand::Kind::tree) return "tree";
  return "slot" + std::to_string(operand.slot) + (operand.last ? "!" : "");
}

std::string text_of_launch(const loops::Launch& launch) {
  std::string text = " kernel" + std::to_string(launch.kernel) + "(";
  for (const loops::Launch::Input& input : launch.inputs) {
    text += (text.back() == '(' ? "slot" : ", slot") + std::to_string(input.slot) + (input.last ? "!" : "");
  }
  for (const loops::SlotId slot : launch.numbers) {
    text += (text.back() == '(' ? "number slot" : ", number slot") + std::to_string(slot);
  }
  text += ")";
  for (const loops::Launch::Output& output : launch.outputs) text += " -> slot" + std::to_string(output.slot);
  if (launch.product != loops::Launch::nowhere) text += " behind step " + std::to_string(launch.product);
  if (launch.into != loops::Launch::nowhere) text += " or at once in step " + std::to_string(launch.into);
  for (const loops::Launch::Reduction& reduction : launch.reductions) {
    text += " -> " + std::string(reduction.entry->name) + " slot" + std::to_string(reduction.slot);
  }
  return text;
}

std::string text_of_access(const loops::VectorLoop& loop, const loops::VectorLoop::Access& access) {
  if (access.stack != loops::VectorLoop::Access::no_stack) return "stack" + std::to_string(access.stack);
  if (access.slot == Step::nowhere) return "passes";
  std::string text = "slot" + std::to_string(access.slot) + "[";
  for (uint32_t axis = 0; axis < access.first.size(); ++axis) {
    const Operand& first = access.first[axis];
    const bool is_known = first.kind == Operand::Kind::constant;
    text += (axis == 0 ? "" : ", ") + (is_known ? std::to_string(first.value.i64()) : text_of_operand(first));
    if (axis == access.axis) text += loop.backwards ? " and down" : " and up";
  }
  return text + "]";
}

std::string text_of_number(const loops::VectorLoop& loop, const loops::VectorLoop::Number& number) {
  using Kind = loops::VectorLoop::Number::Kind;
  if (number.kind == Kind::iteration) return "number of the iteration";
  return "number " +
         (number.kind == Kind::slot ? "slot" + std::to_string(number.slot) : text_of_access(loop, number.element));
}

std::string text_of_vector_loop(const loops::VectorLoop& loop) {
  const bool sets = loop.kernel != loops::VectorLoop::no_kernel;
  std::string text = sets ? " kernel" + std::to_string(loop.kernel) + "(" : " of reads (";
  const auto add = [&](const std::string& part) { text += (text.back() == '(' ? "" : ", ") + part; };
  for (const auto& read : loop.reads) add(text_of_access(loop, read));
  for (const auto& number : loop.numbers) add(text_of_number(loop, number));
  text += ") times slot" + std::to_string(loop.count);
  for (const auto& write : loop.writes) text += " -> " + text_of_access(loop, write);
  return text;
}

std::string text_of_vector_loops(const Plan& plan) {
  std::string text;
  for (const loops::VectorLoop& loop : plan.vector_loops) {
    text += "vector loop" + text_of_vector_loop(loop) + "\n";
    if (loop.kernel != loops::VectorLoop::no_kernel) text += loops::print(plan.program.kernels[loop.kernel]);
  }
  return text.empty() ? "no vector loop\n" : text;
}

// What differs from lane to lane, behind the code of an iteration.
std::string text_of_lanes(const loops::LaneLoop& loop) {
  const loops::Varying varying(loop);
  std::string parts, same, stacks;
  for (size_t at = 0; at < loop.code.instructions.size(); ++at) {
    if (varying.parts(at)) parts += " " + std::to_string(at);
    const loops::Register* const to = loops::written_by(loop.code.instructions[at]);
    const std::string name = to == nullptr ? "" : " r" + std::to_string(*to);
    if (to != nullptr && !varying.varies(*to) && (same + " ").find(name + " ") == std::string::npos) same += name;
  }
  for (uint32_t k = 0; k < loop.stacks; ++k)
    stacks += varying.stack_parts(k) ? " each" : varying.stack_varies(k) ? " vectors" : " numbers";
  return "lanes part at:" + parts + "\nthe same in all:" + same + "\nstacks:" + stacks + "\n";
}

std::string text_of_lane_loops(const Plan& plan) {
  if (plan.program.lane_loops.empty()) return "no lanes\n";
  std::string text = loops::print(plan.program);
  text.erase(0, text.find("\nlanes of ") + 1);
  text.erase(std::min(text.size(), text.find("\nkernel ")));
  for (const loops::LaneLoop& loop : plan.program.lane_loops) text += text_of_lanes(loop);
  return text;
}

std::string text_of_row_tiles(const loops::RowTileSteps& row_tiles) {
  std::string text;
  for (const loops::RowTileSteps::Member& member : row_tiles.members) {
    text += (text.empty() ? " of steps " : ", ") + std::to_string(member.step);
  }
  text += " over rows of";
  for (const loops::RowTileSteps::Read& read : row_tiles.reads) {
    text += " slot" + std::to_string(read.slot) + (read.last ? "!" : "") + ":" + std::to_string(read.rank);
  }
  for (const loops::RowTileSteps::Made& made : row_tiles.made) {
    if (made.needed) text += " -> slot" + std::to_string(made.slot) + (made.whole ? " in place" : "");
  }
  return text;
}

// What it does, without operands and results.
std::string text_of_action(const Plan& plan, const loops::step::Action& action) {
  namespace step = loops::step;
  return match<std::string>(
      action, [](const step::Apply& apply) { return "apply " + std::string(apply.op.entry->name); },
      [](const step::Raise& raise) { return "apply " + std::string(raise.op.entry->name); },
      [](const step::Assertion& assertion) { return "assertion " + assertion.text; },
      [](const step::Replay&) { return "again"; },
      [&](const step::RunLaunch& run) { return "launch" + text_of_launch(plan.launches[run.launch]); },
      [&](const step::RunVectorLoop& run) { return "vector loop" + text_of_vector_loop(plan.vector_loops[run.loop]); },
      [](const step::RunLaneLoop& run) {
        return "lane loop" + std::to_string(run.loop) + " from slot" + std::to_string(run.first) + " to slot" +
               std::to_string(run.count);
      },
      [&](const step::RunRowTiles& run) { return "row tiles" + text_of_row_tiles(plan.row_tiles[run.row_tiles]); },
      [](const step::Move&) { return "move"; }, [](const step::Drop&) { return "drop"; },
      [](const step::Box&) { return "box"; }, [](const step::Undefined&) { return "undefined"; },
      [](const step::Dimension&) { return "dimension"; }, [](const step::Fetch&) { return "fetch"; },
      [](const step::Interpret&) { return "interpret"; }, [](const step::CallValue&) { return "call"; },
      [](const step::Invoke&) { return "invoke"; }, [](const step::Pause&) { return "pause"; },
      [](const step::PollInterrupt&) { return "interrupt"; }, [](const step::PushValue&) { return "push"; },
      [](const step::PopValue&) { return "pop"; }, [](const step::GrowNumbers&) { return "grow"; },
      [](const step::MakeRoom&) { return "room"; }, [](const step::ListPush&) { return "list push"; },
      [](const step::ListSet&) { return "list set"; }, [](const step::ListItem&) { return "list item"; },
      [](const step::DrawAhead&) { return "draw ahead"; });
}

std::string text_of_step(const Plan& plan, const Step& step) {
  std::string text = text_of_action(plan, step.action);
  for (const Operand& operand : step.operands) {
    text += (&operand == step.operands.data() ? " " : ", ") + text_of_operand(operand);
  }
  if (!step.results.empty()) text += " -> " + text_of_slots(step.results);
  if (const auto* apply = step.get_if<loops::step::Apply>(); apply != nullptr && apply->unless_done)
    text += ", unless it is done";
  if (!step.drops.empty()) text += "; drops " + text_of_slots(step.drops);
  return text;
}

}  // namespace

std::string run_build(const std::string& options, const Input& input) {
  if (!options.empty() && options != "vectors" && options != "lanes" && options != "device")
    throw std::runtime_error("build is told nothing, `vectors`, `lanes` or `device`");
  auto graph = std::make_shared<const ir::Graph>(parse_valid_graph(input));
  const auto plan = jit::make_plan(graph, {.device = options == "device"});
  const std::string fault = loops::verify(plan->program);
  if (!fault.empty()) throw std::runtime_error("no valid program: " + fault);
  if (options == "vectors") return text_of_vector_loops(*plan);
  if (options == "lanes") return text_of_lane_loops(*plan);
  std::string text = loops::print(plan->program);
  for (size_t i = 0; i < plan->steps.size(); ++i) {
    text += (i == 0 ? "\nstep " : "step ") + std::to_string(i) + ": " + text_of_step(*plan, plan->steps[i]) + "\n";
  }
  return text + "result " + text_of_operand(plan->result) + "\n";
}

}  // namespace covec::test
