#include "jit/passes/analysis/failures.hpp"

#include <unordered_map>

#include "jit/passes/analysis/index_sums.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/create/create.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/broadcast.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::passes {

using namespace ir;

namespace {

bool all_constant(const std::vector<Value>& values, size_t first) {
  for (size_t i = first; i < values.size(); ++i) {
    if (has_symbols(values[i])) return false;
  }
  return true;
}

// A number as a size may be negative; extents, and what is made of them, are not.
bool is_extent(const Graph& graph, Dim dim) {
  if (dim.known()) return true;
  const DimExpression& e = graph.dims[dim.id()];
  switch (e.kind) {
    case DimExpression::Kind::axis_of:
    case DimExpression::Kind::saturating_sub: return true;
    case DimExpression::Kind::number: return false;
    default: return is_extent(graph, e.left) && is_extent(graph, e.right);
  }
}
bool are_extents(const Graph& graph, const Shape& shape) {
  for (const Dim dim : shape) {
    if (!is_extent(graph, dim)) return false;
  }
  return true;
}

const Shape& result_shape(const Graph& graph, const Operation& operation) {
  return graph.values[operation.results[0]].type.shape;
}

bool makes(const Graph& graph, const Operation& operation) {
  const Shape& shape = result_shape(graph, operation);
  for (unsigned axis = 0; axis < shape.rank(); ++axis) {
    const Dim dim = shape[axis];
    const bool own = !dim.known() && graph.dims[dim.id()].kind == DimExpression::Kind::axis_of &&
                     graph.dims[dim.id()].value == operation.results[0];
    if (own) return false;
  }
  return are_extents(graph, shape);
}

// Whole numbers; of others the run looks whether they are finite. What is written, the type rule has looked at.
bool counts(const Graph& graph, const Operation& operation) {
  const auto is_whole = [](const Value& bound) {
    if (!is_symbol(bound)) return !has_symbols(bound) && (bound.is_none() || bound.tag() == Tag::i64);
    return logical_type(bound).dtype == Dtype::i64;
  };
  const bool known = all_constant(operation.args, 0);
  const bool whole = std::all_of(operation.args.begin(), operation.args.begin() + 3, is_whole);
  return (known || (whole && !is_symbol(operation.args[2]))) && makes(graph, operation);
}

bool repeats(const Graph& graph, const Operation& operation) {
  const Shape from = logical_type(operation.args[0]).shape, &to = result_shape(graph, operation);
  return makes(graph, operation) && fit_to(from, to) == Fit::fits;
}

bool sums(const Graph& graph, const Operation& operation) {
  const Shape from = logical_type(operation.args[0]).shape, &to = result_shape(graph, operation);
  return makes(graph, operation) && fit_to(to, from) == Fit::fits;
}

bool reshapes(const Graph& graph, const Operation& operation) {
  if (infers_from_unknown(graph, operation)) return false;
  const Shape from = logical_type(operation.args[0]).shape, to = result_shape(graph, operation);
  return from == to || (from.known() && to.known() && from.elements() == to.elements());
}

// The type rule has looked at the axes.
bool moves_axes(const Graph&, const Operation& operation) {
  return all_constant(operation.args, 1) && all_constant(operation.rest, 0);
}

bool squeezes(const Graph& graph, const Operation& operation) {
  return moves_axes(graph, operation) && logical_type(operation.args[0]).shape.known();
}

// A part of a tensor: that there is one another operation has looked at, so that it may not be done before that one.
bool is_there(const Graph&, const Operation& operation) {
  if (!all_constant(operation.args, 1)) return false;
  const Shape shape = logical_type(operation.args[0]).shape;
  const auto number = [&](size_t i) { return ops::integer_of(operation.args[i]); };
  const Dim extent = shape[static_cast<unsigned>(number(1))];
  return extent.known() && number(2) >= 0 && number(3) >= 0 && number(2) <= extent.number() - number(3);
}

using Check = bool (*)(const Graph&, const Operation&);

Check check_of(const ops::Entry& entry) {
  static const std::unordered_map<const ops::Entry*, Check> checks = {
      {&ops::zeros_entry(), makes},      {&ops::ones_entry(), makes},           {&ops::arange_entry(), counts},
      {&ops::linspace_entry(), makes},   {&ops::broadcast_to_entry(), repeats}, {&ops::sum_to_entry(), sums},
      {&ops::reshape_entry(), reshapes}, {&ops::transpose_entry(), moves_axes}, {&ops::permute_entry(), moves_axes},
      {&ops::flip_entry(), moves_axes},  {&ops::unsqueeze_entry(), moves_axes}, {&ops::squeeze_entry(), squeezes},
  };
  const auto found = checks.find(&entry);
  return found == checks.end() ? nullptr : found->second;
}

}  // namespace

bool infers_from_unknown(const Graph& graph, const Operation& operation) {
  const Shape& shape = result_shape(graph, operation);
  const bool in_tuple = operation.rest.size() == 1 && is_tree(operation.rest[0]);
  const std::vector<Value>& sizes = in_tuple ? *children(operation.rest[0]) : operation.rest;
  bool infers = false, unknown = false;
  for (unsigned axis = 0; axis < std::min<size_t>(shape.rank(), sizes.size()); ++axis) {
    const bool inferred = sizes[axis].tag() == Tag::i64 && sizes[axis].i64() == -1;
    infers |= inferred;
    unknown |= !inferred && !(shape[axis].known() && shape[axis].number() > 0);
  }
  return infers && unknown;
}

bool is_due(const Graph& graph, const Operation& operation) {
  if (!is_ordered(graph, operation)) return false;
  if (operation.kind != Kind::apply) return true;
  const bool sets = operation.entry == &ops::handles().index_update || operation.entry == &ops::handles().index_add;
  if (sets && is_number_of(graph, operation.args[1], graph.values[operation.results[0]].type.dtype))
    return part_may_fail(operation, operation.args[2]);
  return may_fail_or_acts(graph, operation);
}

bool may_fail_or_acts(const Graph& graph, const Operation& operation) {
  if (operation.entry == &ops::handles().narrow && !is_there(graph, operation)) return true;
  if (operation.kind == Kind::apply && operation.entry->staging == ops::Staging::typed) {
    const Check succeeds = check_of(*operation.entry);
    if (succeeds != nullptr && succeeds(graph, operation)) return false;
  }
  return is_ordered(graph, operation);
}

}  // namespace covec::passes
