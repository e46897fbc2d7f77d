#include "jit/loops/build_reduce.hpp"

#include <algorithm>

#include "jit/loops/operands.hpp"
#include "stdlib/ops/linalg/linalg.hpp"
#include "stdlib/ops/reduce/reduce.hpp"

namespace covec::loops {

namespace {

bool is_plain_reduction(const ir::Graph& graph, const ir::Operation& operation) {
  if (operation.kind != ir::Kind::apply || operation.entry->reduce == nullptr) return false;
  if (operation.args.size() < 3 || !operation.rest.empty() || !ir::is_symbol(operation.args[0])) return false;
  const ir::ValueInfo& x = graph.values[ir::id_of(operation.args[0])];
  if (x.boxed || x.type.shape.empty() || graph.values[operation.results[0]].boxed) return false;
  return !ir::has_symbols(operation.args[1]) && !ir::has_symbols(operation.args[2]);
}

// Two at a time.
bool combines_elements(const ops::ReduceOperator& reduce) {
  using Kind = ops::ReduceKind;
  return reduce.kind != Kind::argmax && reduce.kind != Kind::argmin && reduce.kind != Kind::logsumexp;
}

bool is_product_of_vectors(const ir::Graph& graph, const ir::Operation& operation) {
  if (operation.entry != &ops::matmul_entry() && operation.entry != &ops::dot_entry()) return false;
  const Dtype dtype = dtype_of(graph, operation.args[0]);
  return is_float(dtype) && std::ranges::all_of(operation.args, [&](const Value& factor) {
           const bool unboxed = ir::is_symbol(factor) && !graph.values[ir::id_of(factor)].boxed;
           return unboxed && dtype_of(graph, factor) == dtype && shape_of(graph, factor).rank() == 1;
         });
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
  if (!combines_elements(*operation.entry->reduce)) return false;
  const uint32_t axes = arguments_of(graph, operation).axes;
  const unsigned rank = graph.values[ir::id_of(operation.args[0])].type.shape.rank();
  const uint32_t all = (uint32_t{1} << rank) - 1;
  const bool first = (axes & (axes + 1)) == 0, last = ((axes ^ all) & ((axes ^ all) + 1)) == 0;
  return axes != 0 && (first || last);
}

bool gives_device_number(const ir::Graph& graph, const ir::Operation& operation) {
  if (operation.kind != ir::Kind::apply || !is_number(graph, operation.results[0])) return false;
  if (is_narrow(graph.values[operation.results[0]].type.dtype)) return false;
  if (is_product_of_vectors(graph, operation)) return true;
  return is_plain_reduction(graph, operation) && !operation.entry->reduce->composed &&
         combines_elements(*operation.entry->reduce) && !is_narrow(dtype_of(graph, operation.args[0]));
}

std::optional<Launch::Reduction> reduction_of_rows(const ir::Graph& graph, const ir::Operation& operation) {
  if (!is_plain_reduction(graph, operation)) return std::nullopt;
  const Launch::Reduction reduction = describe_reduction(graph, operation);
  if (reduction.axes == 0 || (reduction.axes & 1) != 0) return std::nullopt;
  return reduction;
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
