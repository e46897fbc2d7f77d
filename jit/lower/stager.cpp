#include "jit/lower/stager.hpp"

#include "jit/lower/not_staged.hpp"

#include "stdlib/tensor/tensor.hpp"

namespace covec::ir {

Stager::Stager(ops::Context& context, ops::Builder& eager, Graph& graph)
    : writer_(context, graph),
      lists_(context, writer_),
      builder_(context, eager, writer_, lists_, maybes_, regions_),
      conversions_(builder_, writer_, lists_),
      regions_(builder_, writer_, conversions_, maybes_),
      fallback_(writer_, regions_, maybes_),
      marks_(context, writer_) {}

Value Stager::parameter(const Value& like, std::string name) {
  Graph& graph = writer_.graph();
  Type type{dtype_of(like), {}};
  const Id id = graph.add(type, std::move(name));
  for (unsigned axis = 0; axis < rank_of(like); ++axis) type.shape.push_back(writer_.dimensions().axis_of(id, axis));
  graph.values[id].type = type;
  graph.body.parameters.push_back(id);
  return graph.symbol(id);
}

Value Stager::with_extent(const Value& parameter, unsigned axis, int64_t extent) {
  Graph& graph = writer_.graph();
  Dim& known = graph.values[id_of(parameter)].type.shape[axis];
  writer_.dimensions().assume_equal(Dim(extent), known);
  known = Dim(extent);
  return graph.symbol(id_of(parameter));
}

void Stager::finish(Value result) {
  refuse_pullbacks(result);
  writer_.graph().body.results = {std::move(result)};
}

std::unique_ptr<ActiveWalk> Stager::active_walk() { return std::make_unique<ActiveWalk>(builder_, writer_, maybes_); }

std::string Stager::last_unstaged() const {
  const std::vector<Graph::Unstaged>& all = writer_.graph().unstaged;
  return all.empty() ? "" : all.back().reason;
}

bool Stager::defined(const Value* variable, Value& value, Value& whether) {
  const Maybe* maybe = maybes_.find(*variable);
  if (maybe == nullptr) return false;
  value = maybe->value;
  whether = maybe->whether;
  return true;
}

bool Stager::may_interpret() const {
  const ops::Context& context = builder_.context();
  return context.innermost == nullptr && context.batches.empty();
}

}  // namespace covec::ir
