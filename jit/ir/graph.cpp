// Text form and verifier of the tensor IR.
#include "jit/ir/graph.hpp"

#include "stdlib/tensor/print.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ir {

namespace {

std::string text(const Graph& graph, const Value& operand) {
  if (operand.is(ObjectKind::symbol)) return "%" + std::to_string(static_cast<const Symbol*>(operand.object())->id);
  if (operand.is(ObjectKind::function)) return operand.function().name();
  (void)graph;
  return repr_of(operand);
}

std::string text(const Graph& graph, const Type& type) {
  std::string out(name_of(type.dtype));
  if (type.shape.rank() == 0) return out;
  out += "[";
  for (unsigned axis = 0; axis < type.shape.rank(); ++axis) {
    if (axis > 0) out += ", ";
    out += print(graph, type.shape[axis]);
  }
  return out + "]";
}

bool defined_before(const Value& operand, uint32_t result) {
  return !operand.is(ObjectKind::symbol) || static_cast<const Symbol*>(operand.object())->id < result;
}

}  // namespace

std::string print(const Graph& graph, Dim dim) {
  if (dim.known()) return std::to_string(dim.number());
  const DimExpression& e = graph.dims[dim.id()];
  switch (e.kind) {
    case DimExpression::Kind::input:
      return graph.parameter_names[e.parameter] + "." + std::to_string(e.axis);
    case DimExpression::Kind::add:
      return "(" + print(graph, e.left) + " + " + print(graph, e.right) + ")";
    case DimExpression::Kind::multiply:
      return print(graph, e.left) + "*" + print(graph, e.right);
    case DimExpression::Kind::broadcast:
      return "broadcast(" + print(graph, e.left) + ", " + print(graph, e.right) + ")";
  }
  return "?";
}

std::string print(const Graph& graph) {
  std::string out = "fn " + graph.name + "(";
  for (size_t i = 0; i < graph.parameters(); ++i) {
    if (i > 0) out += ", ";
    out += "%" + std::to_string(i) + " " + graph.parameter_names[i] + ": " + text(graph, graph.types[i]);
  }
  out += ") {\n";
  size_t next_guard = 0;
  for (uint32_t o = 0; o < graph.operations.size(); ++o) {
    for (; next_guard < graph.guards.size() && graph.guards[next_guard].operation == o; ++next_guard) {
      const Guard& guard = graph.guards[next_guard];
      out += std::string("  guard ") + (guard.kind == Guard::Kind::equal ? "equal(" : "broadcast(") +
             print(graph, guard.left) + ", " + print(graph, guard.right) + ")\n";
    }
    const Operation& operation = graph.operations[o];
    out += "  %" + std::to_string(operation.result) + " = " + std::string(operation.entry->name) + "(";
    bool first = true;
    for (const auto* group : {&operation.args, &operation.rest}) {
      for (const Value& operand : *group) {
        if (!first) out += ", ";
        first = false;
        out += text(graph, operand);
      }
    }
    out += ") : " + text(graph, operation.type) + "\n";
  }
  out += "  return ";
  for (size_t i = 0; i < graph.results.size(); ++i) out += (i > 0 ? ", " : "") + text(graph, graph.results[i]);
  return out + "\n}\n";
}

std::string verify(const Graph& graph) {
  uint32_t next = static_cast<uint32_t>(graph.parameters());
  for (const Operation& operation : graph.operations) {
    if (operation.result != next++) return "values are not numbered in order";
    if (operation.result >= graph.types.size()) return "a value has no type";
    if (!(graph.types[operation.result] == operation.type)) return "a value's type is not its operation's";
    for (const Value& operand : operation.args) {
      if (!defined_before(operand, operation.result)) return "a value is used before it is made";
    }
    for (const Value& operand : operation.rest) {
      if (!defined_before(operand, operation.result)) return "a value is used before it is made";
    }
  }
  for (const Guard& guard : graph.guards) {
    if (guard.operation > graph.operations.size()) return "a guard belongs to no operation";
  }
  return "";
}

}  // namespace covec::ir
