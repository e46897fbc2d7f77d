// Appending operations, dimensions and guards.
#include "jit/lower/ir_builder.hpp"

#include "jit/lower/lower.hpp"
#include "stdlib/ops/reduce.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ir {

Value IrBuilder::value(const Type& type) {
  const auto id = static_cast<uint32_t>(graph_.types.size());
  graph_.types.push_back(type);
  return Value::adopt(new Symbol(type, id));
}

Value IrBuilder::parameter(std::string name, Dtype dtype, unsigned rank) {
  Type type{dtype, {}};
  const auto number = static_cast<uint32_t>(graph_.parameters());
  for (uint32_t axis = 0; axis < rank; ++axis) {
    type.shape.push_back(dimension({DimExpression::Kind::input, number, axis}));
  }
  graph_.parameter_names.push_back(std::move(name));
  return value(type);
}

Value IrBuilder::apply(ops::Call& call) {
  // An operator that is expressed by others is them.
  if (call.entry.reduce != nullptr && call.entry.reduce->composed) return call.entry.eager(*this, call);
  if (call.entry.type == nullptr) throw NotLowered{span_, std::string(call.entry.name) + " gives no tensor"};
  const Type type = call.entry.type(*this, call);
  Operation operation;
  operation.entry = &call.entry;
  operation.args.assign(call.args.begin(), call.args.end());
  operation.rest.assign(call.rest.begin(), call.rest.end());
  operation.literals = call.literals;
  operation.type = type;
  operation.span = span_;
  Value result = value(type);
  operation.result = static_cast<const Symbol*>(result.object())->id;
  graph_.operations.push_back(std::move(operation));
  return result;
}

Dim IrBuilder::dimension(DimExpression expression) {
  for (uint32_t d = 0; d < graph_.dims.size(); ++d) {
    const DimExpression& known = graph_.dims[d];
    if (known.kind == expression.kind && known.parameter == expression.parameter && known.axis == expression.axis &&
        known.left == expression.left && known.right == expression.right) {
      return Dim::symbol(d);
    }
  }
  graph_.dims.push_back(expression);
  return Dim::symbol(static_cast<uint32_t>(graph_.dims.size() - 1));
}

void IrBuilder::guard(Guard::Kind kind, Dim a, Dim b) {
  for (const Guard& known : graph_.guards) {
    if (known.kind == kind && known.left == a && known.right == b) return;
  }
  graph_.guards.push_back({kind, a, b, static_cast<uint32_t>(graph_.operations.size())});
}

void IrBuilder::guard_equal(Dim a, Dim b, const ops::Mismatch&) {
  if (a != b) guard(Guard::Kind::equal, a, b);
}

Dim IrBuilder::symbolic_add(Dim a, Dim b) { return dimension({DimExpression::Kind::add, 0, 0, a, b}); }

Dim IrBuilder::symbolic_multiply(Dim a, Dim b) {
  if (a == Dim(1)) return b;
  if (b == Dim(1)) return a;
  return dimension({DimExpression::Kind::multiply, 0, 0, a, b});
}

Dim IrBuilder::symbolic_broadcast(Dim a, Dim b, const ops::Mismatch&) {
  if (a == b || b == Dim(1)) return a;
  if (a == Dim(1)) return b;
  guard(Guard::Kind::broadcast, a, b);
  return dimension({DimExpression::Kind::broadcast, 0, 0, a, b});
}

}  // namespace covec::ir
