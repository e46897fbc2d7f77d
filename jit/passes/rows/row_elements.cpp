#include "jit/passes/rows/row_elements.hpp"

#include <algorithm>
#include <optional>

#include "jit/passes/analysis/operation_writer.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/elementwise/parts.hpp"

namespace covec::passes {

using namespace ir;

namespace {

unsigned operands_of(const Operation& operation) {
  std::vector<Value> args = operation.args;
  return ops::pointwise_operands(ops::Call{*operation.entry, args, {}, operation.literals});
}

// The dtype that numbers beside rows take.
Dtype dtype_of_rows(const Graph& graph, const Operation& operation) {
  Dtype dtype = Dtype::boolean;
  for (unsigned i = 0; i < operands_of(operation); ++i) {
    const Type type = type_in(graph, operation.args[i]);
    if (!type.shape.empty() && type.dtype != Dtype::boolean) dtype = type.dtype;
  }
  return dtype;
}

// A number beside a tensor of floats takes its dtype; between numbers that would be otherwise.
bool numbers_fit(const Graph& graph, const Operation& operation, FunctionRef<bool(const Value&)> is_row) {
  std::optional<Dtype> dtype;
  const unsigned operands = operands_of(operation);
  for (unsigned i = 0; i < operands; ++i) {
    if (is_number(graph, operation.args[i])) continue;
    if (!is_row(operation.args[i])) return false;
    const Dtype own = type_in(graph, operation.args[i]).dtype;
    if (own == Dtype::boolean) continue;
    if (dtype && dtype != own) return false;
    dtype = own;
  }
  for (unsigned i = 0; i < operands; ++i) {
    if (!is_number(graph, operation.args[i])) continue;
    const Dtype own = type_in(graph, operation.args[i]).dtype;
    if (!dtype || is_narrow(own) || (own != *dtype && !is_float(*dtype))) return false;
  }
  return true;
}

Value converted(Graph& graph, const Value& number, Dtype dtype, uint32_t place, std::vector<Operation>& to) {
  if (!is_symbol(number)) return ops::converted_number(number, dtype);
  return OperationWriter(graph, place).apply(to, ops::cast_entry(dtype), {number}, Type{dtype, {}});
}

}  // namespace

bool is_number(const Graph& graph, const Value& value) {
  return is_symbol(value) ? !graph.values[id_of(value)].boxed && type_in(graph, value).shape.empty()
                          : value.is_scalar();
}

std::optional<RowPart> row_part(const Graph& graph, const Operation& operation, size_t spec) {
  if (operation.args.size() != spec + 1 || operation.args[spec].tag() != Tag::i64 || !is_symbol(operation.args[0]))
    return std::nullopt;
  const ValueInfo& x = graph.values[id_of(operation.args[0])];
  const ops::IndexSpec items(operation.args[spec].i64());
  const size_t rank = x.type.shape.rank();
  if (x.boxed || items.items() > rank) return std::nullopt;
  for (const Value& index : operation.rest) {
    if (!is_number(graph, index) || type_in(graph, index).dtype != Dtype::i64) return std::nullopt;
  }
  using Item = ops::IndexSpec::Item;
  RowPart part;
  unsigned i = 0;
  for (; i < items.items() && items.item(i) == Item::at; ++i) part.at.push_back(operation.rest[i]);
  part.axes = rank - i;
  for (size_t next = i; i < items.items(); ++i) {
    const bool pieces = items.has_start(i) || items.has_stop(i);
    if (items.item(i) != Item::slice || items.has_step(i) || (pieces && i + 1 != rank)) return std::nullopt;
    if (items.has_start(i)) part.start = operation.rest[next++];
    if (items.has_stop(i)) part.stop = operation.rest[next++];
  }
  return part;
}
bool names_part(const Graph& graph, const Operation& operation, size_t spec, size_t axes) {
  const std::optional<RowPart> part = row_part(graph, operation, spec);
  return part && !part->is_piece() && part->axes == axes;
}

bool works_by_element(const Graph& graph, const Operation& operation, FunctionRef<bool(const Value&)> is_row) {
  if (operation.kind != Kind::apply || operation.entry->pointwise == nullptr || !operation.rest.empty()) return false;
  if (!numbers_fit(graph, operation, is_row)) return false;
  Operation of_elements = operation;
  for (Value& arg : of_elements.args) {
    const Type type = type_in(graph, arg);
    if (!type.shape.empty()) arg = Value::adopt(new Symbol(Type{type.dtype, {}}, 0));
  }
  return !is_ordered(graph, of_elements);
}

Value write_for_element(Graph& graph, const Operation& operation, FunctionRef<Value(const Value& row)> element,
                        std::vector<Operation>& to) {
  Operation made = operation;
  const Dtype dtype = dtype_of_rows(graph, operation);
  for (unsigned i = 0; i < operands_of(operation); ++i) {
    const Type type = type_in(graph, operation.args[i]);
    if (!type.shape.empty())
      made.args[i] = element(operation.args[i]);
    else if (type.dtype != dtype && type.dtype != Dtype::boolean)
      made.args[i] = converted(graph, operation.args[i], dtype, operation.place, to);
  }
  made.results = {graph.add(Type{graph.values[operation.results[0]].type.dtype, {}})};
  to.push_back(made);
  return graph.symbol(made.results[0]);
}

}  // namespace covec::passes
