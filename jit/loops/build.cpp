#include "jit/loops/build.hpp"

#include <algorithm>

#include "jit/loops/build_control.hpp"
#include "jit/loops/build_routine.hpp"
#include "jit/loops/coalesce.hpp"
#include "jit/loops/operands.hpp"
#include "jit/loops/product_ends.hpp"
#include "jit/loops/row_panels.hpp"
#include "jit/loops/views.hpp"
#include "jit/loops/write_through.hpp"

namespace covec::loops {

using ir::Id;
using Op = Instruction::Kind;

namespace {

bool is_one_step(const Plan& plan) {
  if (plan.steps.size() != 1 || plan.steps[0].kind != Step::Kind::apply || plan.steps[0].raises) return false;
  const Step& step = plan.steps[0];
  // What is loaded beside it nobody uses.
  const auto idle = [](const Instruction& i) {
    return i.kind == Op::step || i.kind == Op::load || i.kind == Op::leave;
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

std::vector<bool> find_elements(const Plan& plan) {
  std::vector<bool> elements(plan.slots);
  for (const Instruction& i : plan.program.code.instructions) {
    if (i.kind == Op::element || i.kind == Op::set_element) elements[i.slot] = true;
  }
  return elements;
}

// The parts, each made of those before it, and the function as a whole.
class PlanBuilder {
 public:
  PlanBuilder(Plan& plan, const DeviceNumbers& device, Code& code)
      : graph_(*plan.graph),
        plan_(plan),
        code_(code),
        scopes_(graph_.values.size()),
        places_(graph_, device, plan, code_, scopes_),
        steps_(graph_, plan, code_, scopes_, places_),
        launches_(graph_, plan, scopes_, places_, steps_),
        operations_(graph_, plan, code_, scopes_, places_, steps_),
        vectors_(graph_, plan, code_, scopes_, places_, steps_),
        control_(graph_, code_, scopes_, places_, steps_, operations_, launches_, vectors_) {}

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
    code_.append(Op::leave);
    operations_.finish();
  }

  // Its code, of which the parameters are registers.
  void build_routine(const Block& block, Routine& routine) {
    const OpenScope function(scopes_, block);
    for (const Id id : graph_.body.parameters) routine.parameters.push_back(places_.define_number(id));
    control_.units();
    routine.result = places_.number(graph_.body.results[0]).id;
    code_.append(Op::leave).indices = {routine.result};
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
  ControlBuilder control_;
};

}  // namespace

namespace {

void finish(Plan& plan) {
  coalesce(plan.program.code);
  find_views(plan);
  write_through(plan);
  product_ends(plan);
  row_panels(plan);
  plan.elements = find_elements(plan);
  plan.reads_elements = std::ranges::find(plan.elements, true) != plan.elements.end();
  plan.one_step = is_one_step(plan);
}

}  // namespace

std::unique_ptr<const Plan> build(std::shared_ptr<const ir::Graph> graph, const BuildOptions& options) {
  FuseLimits limits;
  limits.fuse = options.fuse;
  limits.eager_kernels = options.eager_kernels;
  if (options.device && !graph->calls_itself) limits.device = DeviceNumbers(*graph);
  const Block block = schedule(*graph, graph->body, limits);
  auto plan = std::make_unique<Plan>();
  plan->program.code.name = graph->name;
  plan->frames_inside = graph->frames_inside();
  plan->graph = std::move(graph);
  if (plan->graph->calls_itself) {
    Routine& routine = plan->program.routine.emplace();
    PlanBuilder(*plan, limits.device, routine.code).build_routine(block, routine);
    call_routine(*plan);
  } else {
    PlanBuilder(*plan, limits.device, plan->program.code).build(block);
  }
  finish(*plan);
  return plan;
}

}  // namespace covec::loops
