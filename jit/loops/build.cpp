#include "jit/loops/build.hpp"

#include "jit/loops/build_context.hpp"
#include "stdlib/ops/pointwise.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::loops {

using ir::Id;
using ir::id_of;
using ir::is_symbol;
using Op = Instruction::Kind;

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
  if (is_number(id))
    code_.move(define_number(id), code_.constant(graph_.values[id].type.dtype, 0).id);
  else
    define_at(id, fresh_slot());
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

std::unique_ptr<const Plan> build(std::shared_ptr<const ir::Graph> graph, const BuildOptions& options) {
  return Building(std::move(graph), options).run();
}

}  // namespace covec::loops
