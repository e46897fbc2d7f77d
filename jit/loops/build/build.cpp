#include "jit/loops/build/build.hpp"

#include <algorithm>

#include "jit/loops/build/control.hpp"
#include "jit/loops/build_routine.hpp"
#include "jit/loops/operands.hpp"

namespace covec::loops {

using ir::Id;

namespace {

bool is_one_step(const Plan& plan) {
  if (plan.steps.size() != 1 || !plan.steps[0].is<step::Apply>()) return false;
  const Step& step = plan.steps[0];
  // What is loaded beside it nobody uses.
  const auto idle = [](const Instruction& i) {
    return is<instruction::CallStep, instruction::Load, instruction::Leave>(i);
  };
  if (!std::ranges::all_of(plan.program.code.instructions, idle)) return false;
  const auto is_input = [&](SlotId slot) { return slot < plan.inputs.size(); };
  const auto known = [&](const Operand& operand) {
    return operand.kind == Operand::Kind::constant || (operand.kind == Operand::Kind::slot && is_input(operand.slot));
  };
  for (SlotId input = 0; input < plan.inputs.size(); ++input) {
    if (plan.inputs[input] != input) return false;
  }
  return std::ranges::all_of(step.operands, known) && std::ranges::all_of(step.drops, is_input) &&
         plan.result.kind == Operand::Kind::slot && plan.result.slot == step.results[0] && !is_input(plan.result.slot);
}

// Slots of which the code itself reads or sets elements, and whether it draws.
void note_accesses(Plan& plan) {
  plan.elements.assign(plan.slots, false);
  const auto note = [&](SlotId slot) { plan.elements[slot] = plan.reads_elements = true; };
  for (const Instruction& i : plan.program.code.instructions) {
    if (const auto* const read = std::get_if<instruction::Element>(&i)) note(read->slot);
    if (const auto* const set = std::get_if<instruction::SetElement>(&i)) note(set->slot);
    plan.draws |= is<instruction::Draw, instruction::NextCall, instruction::SetNextCall>(i);
  }
}

// The parts, each made of those before it, and the function as a whole.
class PlanBuilder {
 public:
  PlanBuilder(Plan& plan, const DeviceNumbers& device, Code& code, bool plain = false)
      : graph_(*plan.graph),
        plan_(plan),
        code_(code),
        scopes_(graph_.values.size()),
        places_(graph_, device, plan, code_, scopes_),
        steps_(graph_, plan, code_, scopes_, places_),
        launches_(graph_, plan, scopes_, places_, steps_),
        operations_(graph_, plan, code_, scopes_, places_, steps_, plain),
        vectors_(graph_, plan, code_, scopes_, places_, steps_, operations_.stacks(), plain),
        rows_(plan, scopes_, places_, steps_),
        control_(graph_, code_, scopes_, places_, steps_, operations_, launches_, vectors_, rows_) {}

  void build(const Block& block) {
    const OpenScope function(scopes_, block);
    for (const Id id : graph_.body.parameters) plan_.inputs.push_back(take_input(id));
    control_.units();
    if (graph_.is_function || !graph_.body.results.empty()) {
      Step step;
      steps_.add_operands(step, graph_.body.results);
      if (graph_.is_function)
        plan_.results = std::move(step.operands);
      else
        plan_.result = step.operands[0];
    }
    code_.append(instruction::Leave{});
    operations_.finish();
  }

  // Its code, of which the parameters are registers.
  void build_routine(const Block& block, Routine& routine) {
    const OpenScope function(scopes_, block);
    for (const Id id : graph_.body.parameters) routine.parameters.push_back(places_.define_number(id));
    control_.units();
    routine.result = places_.number(graph_.body.results[0]).id;
    code_.append(instruction::Leave{routine.result});
  }

 private:
  SlotId take_input(Id id) {
    if (is_number(graph_, id)) {
      const SlotId slot = places_.number_slot(id);
      places_.define_number(id);
      steps_.load_result(id);
      return slot;
    }
    places_.define_at(id, places_.fresh_slot());
    return places_.slot(id);
  }

  const ir::Graph& graph_;
  Plan& plan_;
  CodeBuilder code_;
  Scopes scopes_;
  Placement places_;
  StepBuilder steps_;
  LaunchBuilder launches_;
  OperationBuilder operations_;
  VectorLoopBuilder vectors_;
  RowBuilder rows_;
  ControlBuilder control_;
};

}  // namespace

FuseLimits limits_of(const ir::Graph& graph, const BuildOptions& options) {
  FuseLimits limits;
  limits.fuse = options.fuse;
  limits.plain = options.plain;
  limits.eager_kernels = options.eager_kernels;
  if (options.device && !graph.calls_itself) limits.device = DeviceNumbers(graph);
  return limits;
}

std::unique_ptr<Plan> build(std::shared_ptr<const ir::Graph> graph, const Block& block, const FuseLimits& limits) {
  auto plan = std::make_unique<Plan>();
  plan->program.code.name = graph->name;
  plan->frames_inside = graph->frames_inside();
  plan->graph = std::move(graph);
  if (plan->graph->calls_itself) {
    Routine& routine = plan->program.routine.emplace();
    PlanBuilder(*plan, limits.device, routine.code).build_routine(block, routine);
    call_routine(*plan);
  } else {
    PlanBuilder(*plan, limits.device, plan->program.code, limits.plain).build(block);
  }
  note_accesses(*plan);
  plan->one_step = is_one_step(*plan);
  return plan;
}

}  // namespace covec::loops
