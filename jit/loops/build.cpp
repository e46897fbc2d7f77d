#include "jit/loops/build.hpp"

#include <algorithm>

#include "jit/loops/build_context.hpp"
#include "jit/loops/coalesce.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::loops {

using ir::Id;
using ir::id_of;
using ir::is_symbol;
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

}  // namespace

Building::Building(std::shared_ptr<const ir::Graph> graph, const BuildOptions& options)
    : shared_graph_(std::move(graph)),
      graph_(*shared_graph_),
      options_(options),
      plan_(std::make_unique<Plan>()),
      code_(plan_->program.code),
      held_(graph_.values.size()),
      stacks_(graph_.stacks) {
  plan_->graph = shared_graph_;
  plan_->program.code.name = graph_.name;
}

std::unique_ptr<const Plan> Building::run() {
  FuseLimits limits;
  limits.fuse = options_.fuse;
  limits.eager_kernels = options_.eager_kernels;
  const Block block = schedule(graph_, graph_.body, limits);
  find_stacks(graph_.body);
  for (Stack& stack : stacks_) stack.index = stack.numbers ? plan_->number_stacks++ : plan_->value_stacks++;
  Scope scope{block, nullptr, false, 0, {}};
  scope_ = &scope;
  for (const Id id : graph_.body.parameters) {
    plan_->inputs.push_back(is_number(id) ? number_slot(id) : (define_at(id, fresh_slot()), held_[id].slot));
    if (!is_number(id)) continue;
    define_number(id);
    load_result(id);
  }
  units();
  if (!graph_.body.results.empty()) {
    Step step;
    add_operands(step, graph_.body.results);
    plan_->result = step.operands[0];
  }
  code_.append(Op::leave);
  if (plan_->pauses) go_on_after_pause();
  coalesce(plan_->program.code);
  plan_->one_step = is_one_step(*plan_);
  return std::move(plan_);
}

void Building::find_stacks(const ir::Region& region) {
  for (const ir::Operation& operation : region.operations) {
    for (const ir::Region& inner : operation.regions) find_stacks(inner);
    const bool pushes = operation.kind == ir::Kind::push, pops = operation.kind == ir::Kind::pop;
    if (!pushes && !pops) continue;
    Stack& stack = stacks_[static_cast<size_t>(operation.number)];
    const Value value = pushes ? operation.args[0] : graph_.symbol(operation.results[0]);
    const bool number = is_number(value);
    const Dtype dtype = number ? dtype_of_number(value) : stack.dtype;
    stack.numbers = stack.numbers && number && (!stack.seen || dtype == stack.dtype);
    stack.dtype = dtype;
    stack.seen = true;
  }
}

void Building::unit(const Unit& unit) {
  if (unit.kernel) return launch(unit);
  switch (unit.operations[0]->kind) {
    case ir::Kind::if_: return if_operation(unit);
    case ir::Kind::for_: return for_operation(unit);
    case ir::Kind::while_: return while_operation(unit);
    default: return operation(unit);
  }
}

void Building::operation(const Unit& unit) {
  const ir::Operation& operation = *unit.operations[0];
  switch (operation.kind) {
    case ir::Kind::apply: return apply(operation);
    case ir::Kind::dimension: return dimension(operation);
    case ir::Kind::interpret: return library_step(operation, Step::Kind::interpret);
    case ir::Kind::call: return library_step(operation, Step::Kind::call);
    case ir::Kind::undefined: return undefined(operation);
    case ir::Kind::box: return box(operation);
    case ir::Kind::unbox: return unbox(operation);
    case ir::Kind::push: return push(operation);
    case ir::Kind::pop: return pop(operation);
    case ir::Kind::pause: return pause(operation);
    default: return;
  }
}

void Building::apply(const ir::Operation& operation) {
  if (is_number_operation(graph_, operation)) return on_numbers(operation);
  if (element(operation) || list_operation(operation)) return;
  library_step(operation, Step::Kind::apply);
}

Step Building::describe(const ir::Operation& operation, Step::Kind kind) {
  Step step;
  step.kind = kind;
  step.place = operation.place;
  step.literals = operation.literals;
  step.parameters = static_cast<uint32_t>(operation.args.size());
  step.number = operation.number;
  step.entry = operation.entry;
  step.operation = &operation;
  std::vector<Value> values = operation.args;
  values.insert(values.end(), operation.rest.begin(), operation.rest.end());
  add_operands(step, values);
  return step;
}

void Building::library_step(const ir::Operation& operation, Step::Kind kind) {
  Step step = describe(operation, kind);
  drop_deaths(&step);
  for (const Id id : operation.results) step.results.push_back(result_slot(id));
  code_.step(add_step(std::move(step)));
  for (const Id id : operation.results) load_result(id);
}

// Numbers alone: the operator's body, here. Where it may fail, a step raises its error.
void Building::on_numbers(const ir::Operation& operation) {
  std::vector<Value> args = operation.args;
  const ops::PointwiseInfo& info = operation.entry->pointwise->info;
  std::vector<ops::ScalarRef> operands;
  for (unsigned i = 0; i < info.arity - (info.parameter ? 1u : 0u); ++i) operands.push_back(number(args[i]));
  const ops::Call call{*operation.entry, args, {}, operation.literals};
  if (weigh(graph_, operation).fails) {
    const auto failing = ops::lower_pointwise_failure(code_, call, operands);
    Scope inner{scope_->block, scope_, false, scope_->at, {}};
    Instruction& seldom = code_.append(Op::if_);
    seldom.operands[0] = failing->id;
    seldom.seldom = true;
    scope_ = &inner;
    Step step = describe(operation, Step::Kind::apply);
    scope_ = inner.outer;
    step.raises = true;
    code_.step(add_step(std::move(step)));
    code_.append(Op::end_if);
  }
  std::optional<ops::ScalarRef> otherwise;
  const ops::ScalarRef result = code_.apply(call, operands, otherwise);
  const Id id = operation.results[0];
  held_[id].home = &scope_->block;
  // A result that is an operand unchanged: its register may be a loop's, which will change.
  const bool fresh =
      std::none_of(operands.begin(), operands.end(), [&](ops::ScalarRef o) { return o.id == result.id; });
  held_[id].reg = result.id;
  if (!fresh) code_.move(define_number(id), result.id);
  if (fresh) plan_->program.code.register_names[result.id] = graph_.values[id].name;
  if (otherwise) apply_where(operation, otherwise->id);
}

// Where the condition holds, the result in its register is what the operator itself gives.
void Building::apply_where(const ir::Operation& operation, Register condition) {
  const Id id = operation.results[0];
  Scope inner{scope_->block, scope_, false, scope_->at, {}};
  Instruction& seldom = code_.append(Op::if_);
  seldom.operands[0] = condition;
  seldom.seldom = true;
  scope_ = &inner;
  Step step = describe(operation, Step::Kind::apply);
  scope_ = inner.outer;
  step.results = {number_slot(id)};
  code_.step(add_step(std::move(step)));
  code_.load(held_[id].reg, held_[id].slot);
  code_.append(Op::end_if);
}

void Building::dimension(const ir::Operation& operation) {
  const Id result = operation.results[0];
  const Value& x = operation.args[0];
  if (!is_symbol(x) || !is_number(result)) return library_step(operation, Step::Kind::dimension);
  if (is_needed(result)) {
    const Register to = define_number(result);
    Instruction& instruction = code_.append(Op::extent);
    instruction.to = to;
    instruction.slot = held_[id_of(x)].slot;
    instruction.index = static_cast<uint32_t>(operation.number);
  }
  drop_deaths(nullptr);
}

void Building::undefined(const ir::Operation& operation) {
  const Id id = operation.results[0];
  if (is_number(id)) {
    code_.move(define_number(id), code_.constant(graph_.values[id].type.dtype, 0).id);
  } else if (graph_.values[id].boxed && !graph_.values[id].list) {
    define_at(id, fresh_slot());
  } else {
    library_step(operation, Step::Kind::undefined);
  }
}

void Building::box(const ir::Operation& operation) {
  const Value& value = operation.args[0];
  if (is_symbol(value) && !is_number(value) && takes(id_of(value)))
    return define_at(operation.results[0], held_[id_of(value)].slot);
  library_step(operation, Step::Kind::box);
}

void Building::unbox(const ir::Operation& operation) {
  const Id result = operation.results[0];
  const Value& value = operation.args[0];
  if (!is_needed(result)) return drop_deaths(nullptr);
  if (!is_number(result) || !is_symbol(value)) return box(operation);
  code_.load(define_number(result), held_[id_of(value)].slot);
}

void Building::push(const ir::Operation& operation) {
  const Stack& stack = stacks_[static_cast<size_t>(operation.number)];
  if (!stack.numbers) {
    Step step = describe(operation, Step::Kind::push);
    step.number = stack.index;
    code_.step(add_step(std::move(step)));
    return;
  }
  Step grow;
  grow.kind = Step::Kind::grow;
  grow.place = operation.place;
  grow.number = stack.index;
  const Register value = number(operation.args[0]).id;
  Instruction& instruction = code_.append(Op::push);
  instruction.operands[0] = value;
  instruction.slot = stack.index;
  instruction.index = add_step(std::move(grow));
}

void Building::pop(const ir::Operation& operation) {
  const Stack& stack = stacks_[static_cast<size_t>(operation.number)];
  const Id id = operation.results[0];
  if (stack.numbers) {
    const Register to = define_number(id);
    Instruction& instruction = code_.append(Op::pop);
    instruction.to = to;
    instruction.slot = stack.index;
    return;
  }
  Step step = describe(operation, Step::Kind::pop);
  step.number = stack.index;
  step.results.push_back(result_slot(id));
  code_.step(add_step(std::move(step)));
  load_result(id);
}

void Building::pause(const ir::Operation& operation) {
  Step step = describe(operation, Step::Kind::pause);
  drop_deaths(&step);
  for (const Id id : operation.results) {
    const SlotId slot = result_slot(id);
    plan_->given.push_back(slot);
  }
  plan_->pauses = true;
  plan_->goes_on = fresh_slot();
  code_.step(add_step(std::move(step)));
  code_.append(Op::leave);
  paused_at_ = plan_->program.code.instructions.size();
  for (const Id id : operation.results) load_result(id);
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
    for (unsigned k = 0; k < operands_of(i); ++k) read(i.operands[k]);
    for (const Register r : i.indices) read(r);
    if (writes(i)) states[i.to] = State::settled;
  }
  return across;
}

}  // namespace

// The second call finds its numbers where the first one has left them:
//
//   if goes_on { registers = slots } else { …; slots = registers; leave }
//   …
void Building::go_on_after_pause() {
  Code& code = plan_->program.code;
  const auto pause = code.instructions.begin() + static_cast<ptrdiff_t>(paused_at_);
  std::vector<Instruction> first(code.instructions.begin(), pause - 1), rest(pause, code.instructions.end());
  const std::vector<Register> live = registers_across(code, first, rest);
  const auto make = [](Op kind, Register number, SlotId slot) {
    Instruction i;
    i.kind = kind;
    i.slot = slot;
    (kind == Op::load ? i.to : i.operands[0]) = number;
    return i;
  };
  std::vector<Instruction> loads, stores;
  for (const Register number : live) {
    const SlotId slot = fresh_slot();
    loads.push_back(make(Op::load, number, slot));
    stores.push_back(make(Op::store, number, slot));
  }
  code.instructions.clear();
  const Register goes_on = code_.fresh(Dtype::boolean, "goes_on");
  code_.load(goes_on, plan_->goes_on);
  code_.append(Op::if_).operands[0] = goes_on;
  const auto add = [&](const std::vector<Instruction>& more) {
    code.instructions.insert(code.instructions.end(), more.begin(), more.end());
  };
  add(loads);
  code_.append(Op::else_);
  add(first);
  add(stores);
  code_.append(Op::leave);
  code_.append(Op::end_if);
  add(rest);
}

std::unique_ptr<const Plan> build(std::shared_ptr<const ir::Graph> graph, const BuildOptions& options) {
  return Building(std::move(graph), options).run();
}

}  // namespace covec::loops
