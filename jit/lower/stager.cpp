#include "jit/lower/stager.hpp"

#include "jit/lower/graph/not_staged.hpp"

#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

Stager::Stager(ops::Context& context, ops::Builder& eager, Graph& graph, Recursive& recursive)
    : writer_(context, graph),
      lists_(context, writer_),
      builder_(context, eager, writer_, lists_, conditional_values_, regions_),
      conversions_(builder_, writer_, lists_, conditional_values_, regions_),
      regions_(builder_, writer_, conversions_, conditional_values_),
      recursions_(builder_, writer_, conversions_, conditional_values_, regions_),
      recursive_(recursive),
      fallback_(writer_, regions_, conditional_values_),
      marks_(context, writer_) {}

Value Stager::parameter(const Value& like, std::string name) {
  const Id id = like.is_numeric() ? numeric_parameter(like) : open_parameter(like);
  Graph& graph = writer_.graph();
  graph.values[id].name = std::move(name);
  graph.body.parameters.push_back(id);
  return graph.symbol(id);
}

Id Stager::numeric_parameter(const Value& like) {
  Type type{dtype_of(like), {}};
  const Id id = writer_.graph().add(type, {});
  for (unsigned axis = 0; axis < rank_of(like); ++axis) type.shape.push_back(writer_.dimensions().axis_of(id, axis));
  writer_.graph().values[id].type = type;
  return id;
}

Id Stager::open_parameter(const Value& like) {
  if (!like.is(ObjectKind::list) || !like.list().of_one_kind()) return writer_.graph().add_boxed();
  const Value& item = like.list().items()[0];
  return writer_.graph().add_list(dtype_of(item), rank_of(item));
}

Value Stager::with_extent(const Value& parameter, unsigned axis, int64_t extent) {
  return with_dim(parameter, axis, Dim(extent));
}

Value Stager::with_dim(const Value& parameter, unsigned axis, Dim extent) {
  Graph& graph = writer_.graph();
  Dim& known = graph.values[id_of(parameter)].type.shape[axis];
  writer_.dimensions().assume_equal(extent, known);
  known = extent;
  return graph.symbol(id_of(parameter));
}

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

bool Stager::may_be_itself(std::span<const Value> args) const {
  const Graph& graph = writer_.graph();
  bool possible = itself_ && args.size() == itself_->arguments;
  for (size_t i = 0; i < args.size() && possible; ++i)
    possible = is_number_of(graph, args[i], graph.values[graph.body.parameters[i]].type.dtype);
  return possible;
}

std::optional<Value> Stager::itself(std::span<const Value> args, unsigned deeper) {
  Graph& graph = writer_.graph();
  const bool possible = may_be_itself(args);
  graph.awaits_result |= possible && !itself_->result;
  graph.recursive |= !possible || !itself_->result;
  if (graph.recursive) return std::nullopt;
  graph.calls_itself = graph.replays_errors = true;
  Operation operation;
  operation.kind = Kind::itself;
  operation.number = deeper;
  operation.replays_error = true;
  operation.args.assign(args.begin(), args.end());
  Value result = writer_.result_of(operation, Type{*itself_->result, {}});
  writer_.append(std::move(operation));
  return result;
}

std::optional<Value> Stager::recursion(const core::Function& function, std::span<const Value> captured, Variables slots,
                                       unsigned depth, FunctionRef<Value()> body) {
  return recursions_.call({&function, {captured.begin(), captured.end()}, std::move(slots), body, depth});
}

void Stager::finish(Value result) {
  refuse_pullbacks(result);
  if (writer_.graph().calls_itself) complete_calls(writer_.graph(), writer_.graph().body);
  writer_.graph().body.results = {std::move(result)};
}

std::unique_ptr<ActiveWalk> Stager::active_walk(uint64_t memory) {
  return std::make_unique<ActiveWalk>(builder_, writer_, conditional_values_, memory);
}

std::string Stager::last_unstaged() const {
  const std::vector<Graph::Unstaged>& all = writer_.graph().unstaged;
  return all.empty() ? "" : all.back().reason;
}

bool Stager::defined(const Value* variable, Value& value, Value& whether) {
  const ConditionalValue* conditional = conditional_values_.find(*variable);
  if (conditional == nullptr) return false;
  value = conditional->value;
  whether = conditional->whether;
  return true;
}

bool Stager::may_interpret() const {
  const ops::Context& context = builder_.context();
  return context.innermost == nullptr && context.batches.empty();
}

}  // namespace covec::ir
