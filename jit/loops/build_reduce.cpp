#include "jit/loops/build_reduce.hpp"

#include "stdlib/ops/reduce/reduce.hpp"

namespace covec::loops {

namespace {

bool is_plain_reduction(const ir::Graph& graph, const ir::Operation& operation) {
  if (operation.kind != ir::Kind::apply || operation.entry->reduce == nullptr) return false;
  if (operation.args.size() != 3 || !operation.rest.empty() || !ir::is_symbol(operation.args[0])) return false;
  const ir::ValueInfo& x = graph.values[ir::id_of(operation.args[0])];
  if (x.boxed || x.type.shape.empty() || graph.values[operation.results[0]].boxed) return false;
  return !ir::has_symbols(operation.args[1]) && !ir::has_symbols(operation.args[2]);
}

ops::ReduceArguments arguments_of(const ir::Graph& graph, const ir::Operation& operation) {
  std::vector<Value> args = operation.args;
  const ops::Call call{*operation.entry, args, {}, 0};
  return ops::reduce_arguments(call, graph.values[ir::id_of(operation.args[0])].type.shape.rank());
}

}  // namespace

bool is_safe_reduction(const ir::Graph& graph, const ir::Operation& operation) {
  if (!is_plain_reduction(graph, operation)) return false;
  if (operation.entry->reduce->has_empty) return true;
  const Shape& shape = graph.values[ir::id_of(operation.args[0])].type.shape;
  return shape.known() && shape.elements() > 0;
}

bool is_fusible_reduction(const ir::Graph& graph, const ir::Operation& operation) {
  if (!is_plain_reduction(graph, operation)) return false;
  const ops::ReduceKind kind = operation.entry->reduce->kind;
  if (kind == ops::ReduceKind::argmax || kind == ops::ReduceKind::argmin || kind == ops::ReduceKind::logsumexp)
    return false;
  const uint32_t axes = arguments_of(graph, operation).axes;
  const unsigned rank = graph.values[ir::id_of(operation.args[0])].type.shape.rank();
  const uint32_t all = (uint32_t{1} << rank) - 1;
  const bool first = (axes & (axes + 1)) == 0, last = ((axes ^ all) & ((axes ^ all) + 1)) == 0;
  return axes != 0 && (first || last);
}

Launch::Reduction describe_reduction(const ir::Graph& graph, const ir::Operation& operation) {
  const ops::ReduceArguments arguments = arguments_of(graph, operation);
  const Type& x = graph.values[ir::id_of(operation.args[0])].type;
  Launch::Reduction reduction;
  reduction.entry = operation.entry;
  reduction.attributes = {operation.args[1], operation.args[2]};
  reduction.axes = arguments.axes;
  reduction.rank = x.shape.rank();
  reduction.keepdims = arguments.keepdims;
  reduction.place = operation.place;
  reduction.dtype = x.dtype;
  return reduction;
}

}  // namespace covec::loops
