#include "jit/loops/build/operations.hpp"

#include "jit/loops/operands.hpp"

namespace covec::loops {

using ir::Id;
using ir::id_of;
using ir::is_symbol;

OperationBuilder::OperationBuilder(const ir::Graph& graph, Plan& plan, CodeBuilder& code, Scopes& scopes,
                                   Placement& places, StepBuilder& steps, bool plain)
    : graph_(graph),
      code_(code),
      scopes_(scopes),
      places_(places),
      steps_(steps),
      numbers_(graph, code, scopes, places, steps, plain),
      elements_(graph, code, scopes, places, steps),
      lists_(graph, code, scopes, places, steps),
      draws_(graph, code, scopes, places, steps),
      stacks_(graph, plan, code, places, steps),
      pause_(plan, code, places, steps) {}

void OperationBuilder::build(const ir::Operation& operation) {
  switch (operation.kind) {
    case ir::Kind::apply: return apply(operation);
    case ir::Kind::dimension: return dimension(operation);
    case ir::Kind::interpret: return steps_.perform(operation, step::Interpret{&operation});
    case ir::Kind::call: return steps_.perform(operation, step::CallValue{});
    case ir::Kind::invoke: return steps_.perform(operation, step::Invoke{static_cast<uint32_t>(operation.number)});
    case ir::Kind::itself: return itself(operation);
    case ir::Kind::undefined: return undefined(operation);
    case ir::Kind::box: return box(operation);
    case ir::Kind::unbox: return unbox(operation);
    case ir::Kind::push: return stacks_.push(operation);
    case ir::Kind::pop: return stacks_.pop(operation);
    case ir::Kind::pause: return pause_.pause(operation);
    default: return;
  }
}

void OperationBuilder::apply(const ir::Operation& operation) {
  if (is_number_operation(graph_, operation)) return numbers_.apply(operation);
  if (elements_.build(operation) || lists_.build(operation) || draws_.build(operation)) return;
  steps_.apply(operation);
}

void OperationBuilder::itself(const ir::Operation& operation) {
  std::vector<Register> numbers;
  for (const Value& arg : operation.args) numbers.push_back(places_.number(arg).id);
  const Register to = places_.define_number(operation.results[0]);
  code_.append(instruction::CallRoutine{to, std::move(numbers), 0, static_cast<uint32_t>(operation.number)});
}

void OperationBuilder::dimension(const ir::Operation& operation) {
  const Id result = operation.results[0];
  const Value& x = operation.args[0];
  const auto axis = static_cast<uint32_t>(operation.number);
  if (!is_symbol(x) || !is_number(graph_, result)) return steps_.perform(operation, step::Dimension{axis, result});
  if (scopes_.is_needed(result)) {
    const Register to = places_.define_number(result);
    code_.append(instruction::Extent{to, places_.slot(id_of(x)), axis});
  }
  steps_.drop_dead_values();
}

void OperationBuilder::undefined(const ir::Operation& operation) {
  const Id id = operation.results[0];
  const ir::ValueInfo& info = graph_.values[id];
  if (is_number(graph_, id)) {
    const Register zero = code_.constant(info.type.dtype, 0).id;
    code_.move(places_.define_number(id), zero);
  } else if (info.boxed && !info.list) {
    places_.define_at(id, places_.fresh_slot());
  } else {
    steps_.perform(operation, step::Undefined{id});
  }
}

void OperationBuilder::box(const ir::Operation& operation) {
  const Value& value = operation.args[0];
  if (is_symbol(value) && !is_number(graph_, value) && scopes_.takes(id_of(value)))
    return places_.define_at(operation.results[0], places_.slot(id_of(value)));
  steps_.perform(operation, step::Box{});
}

void OperationBuilder::unbox(const ir::Operation& operation) {
  const Id result = operation.results[0];
  const Value& value = operation.args[0];
  if (!scopes_.is_needed(result)) return steps_.drop_dead_values();
  if (!is_number(graph_, result) || !is_symbol(value)) return box(operation);
  code_.load(places_.define_number(result), places_.slot(id_of(value)));
}

}  // namespace covec::loops
