#include "jit/lower/self_calls.hpp"

namespace covec::ir {

namespace {

bool is_number_of(const Graph& graph, const Value& value, Dtype dtype) {
  if (!is_symbol(value)) return value.is_scalar() && value.scalar_dtype() == dtype;
  const ValueInfo& info = graph.values[id_of(value)];
  return !info.boxed && info.type.shape.empty() && info.type.dtype == dtype;
}

// Globals that have become parameters since stay what they are.
void complete_calls(const Graph& graph, Region& region) {
  for (Operation& operation : region.operations) {
    for (Region& inner : operation.regions) complete_calls(graph, inner);
    if (operation.kind != Kind::itself) continue;
    for (size_t i = operation.args.size(); i < graph.body.parameters.size(); ++i)
      operation.args.push_back(graph.symbol(graph.body.parameters[i]));
  }
}

}  // namespace

bool SelfCalls::may_be_itself(std::span<const Value> args) const {
  const Graph& graph = writer_.graph();
  bool possible = itself_ && args.size() == itself_->arguments;
  for (size_t i = 0; i < args.size() && possible; ++i)
    possible = is_number_of(graph, args[i], graph.values[graph.body.parameters[i]].type.dtype);
  return possible;
}

std::optional<Value> SelfCalls::itself(std::span<const Value> args, unsigned deeper) {
  Graph& graph = writer_.graph();
  const bool possible = may_be_itself(args);
  graph.awaits_result |= possible && !itself_->result;
  graph.recursive |= !possible || !itself_->result;
  if (graph.recursive) return std::nullopt;
  Operation operation;
  operation.kind = Kind::itself;
  operation.number = deeper;
  leave_error(graph, operation);
  graph.calls_itself = true;
  operation.args.assign(args.begin(), args.end());
  Value result = writer_.result_of(operation, Type{*itself_->result, {}});
  writer_.append(std::move(operation));
  return result;
}

std::optional<Value> SelfCalls::call(const core::Function& function, std::span<const Value> captured,
                                     Staging::Variables slots, unsigned depth, FunctionRef<Value()> body) {
  return recursions_.call({&function, {captured.begin(), captured.end()}, std::move(slots), body, depth});
}

std::optional<Value> SelfCalls::call_inside(const core::Function& function, std::span<const Value> captured,
                                            std::span<const Value> slots, unsigned depth) {
  return recursions_.call_inside(&function, captured, slots, depth);
}

void SelfCalls::complete() {
  if (writer_.graph().calls_itself) complete_calls(writer_.graph(), writer_.graph().body);
}

}  // namespace covec::ir
