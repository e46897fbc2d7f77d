#include "jit/passes/analysis/region_copy.hpp"

#include <algorithm>
#include <utility>

namespace covec::passes {

using namespace ir;

Value RegionCopy::value(const Value& of) {
  return !has_symbols(of) ? of : replace_symbols(of, [&](const Value& symbol) { return now(symbol); });
}

Value RegionCopy::now(const Value& symbol) const {
  Value value = current_ ? current_(symbol) : symbol;  // a loop inside may have been unrolled
  if (!is_symbol(value)) return value;
  const auto found = now_.find(id_of(value));
  return found == now_.end() ? value : found->second;
}

void RegionCopy::copy(const Operation& operation, std::vector<Operation>& to) {
  Operation made = operation;
  for (Value& arg : made.args) arg = value(arg);
  for (Value& arg : made.rest) arg = value(arg);
  if (const std::optional<Value> known = constant(made)) return set(operation.results[0], *known);
  for (Region& inner : made.regions) copy_inside(inner);
  for (Id& result : made.results) result = define(result);
  to.push_back(std::move(made));
}

void RegionCopy::copy_inside(Region& region) {
  for (Id& parameter : region.parameters) parameter = define(parameter);
  const std::vector<Operation> operations = std::exchange(region.operations, {});
  for (const Operation& operation : operations) copy(operation, region.operations);
  for (Value& result : region.results) result = value(result);
}

// Its extents may be its own, so it is there before they are.
Id RegionCopy::define(Id of) {
  const Id id = graph_.add_like(of);
  now_[of] = graph_.symbol(id);
  Shape shape = graph_.values[id].type.shape;
  if (shape.known()) return id;
  for (unsigned axis = 0; axis < shape.rank(); ++axis) shape[axis] = dim(shape[axis]);
  graph_.values[id].type.shape = shape;
  now_[of] = graph_.symbol(id);
  return id;
}

// An index and what is computed of it, as long as it is numbers.
std::optional<Value> RegionCopy::constant(const Operation& operation) {
  if (evaluator_ == nullptr) return std::nullopt;
  if (operation.kind != Kind::apply || !graph_.values[operation.results[0]].type.shape.empty()) return std::nullopt;
  if (graph_.values[operation.results[0]].boxed) return std::nullopt;
  const auto is_number = [](const Value& value) { return value.is_scalar(); };
  if (operation.args.empty() || !std::ranges::all_of(operation.args, is_number) || !operation.rest.empty())
    return std::nullopt;
  std::optional<Value> known = evaluator_->run(operation);
  if (!known || known->scalar_dtype() != graph_.values[operation.results[0]].type.dtype) return std::nullopt;
  return known;
}

// --- dimensions ---

Dim RegionCopy::dim(Dim of) {
  if (of.known()) return of;
  const auto found = dims_.find(of.id());
  if (found != dims_.end()) return found->second;
  const Dim renamed = renew(of);
  dims_.emplace(of.id(), renamed);
  return renamed;
}

Dim RegionCopy::renew(Dim of) {
  DimExpression e = graph_.dims[of.id()];
  if (e.kind == DimExpression::Kind::axis_of || e.kind == DimExpression::Kind::number) {
    const Id before = e.value;
    ir::rename(e, now(graph_.symbol(before)));
    if (e.kind != DimExpression::Kind::add && e.value == before) return of;
  } else {
    const Dim left = dim(e.left), right = dim(e.right);
    if (left == e.left && right == e.right) return of;
    e.left = left;
    e.right = right;
  }
  graph_.dims.push_back(e);
  return Dim::symbol(static_cast<uint32_t>(graph_.dims.size() - 1));
}

}  // namespace covec::passes
