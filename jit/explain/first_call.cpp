#include "jit/explain/first_call.hpp"

#include <algorithm>

#include "stdlib/ops/contract/entry.hpp"

namespace covec::jit {

using ir::DimExpression;
using ir::Id;
using ir::Kind;

namespace {

std::optional<int64_t> whole(const std::optional<Value>& value) {
  return value && value->tag() == Tag::i64 ? std::optional(value->i64()) : std::nullopt;
}

int64_t combined(DimExpression::Kind kind, int64_t left, int64_t right) {
  int64_t result = 0;
  switch (kind) {
    case DimExpression::Kind::add: return __builtin_add_overflow(left, right, &result) ? INT64_MAX : result;
    case DimExpression::Kind::multiply: return __builtin_mul_overflow(left, right, &result) ? INT64_MAX : result;
    case DimExpression::Kind::broadcast: return left == 1 ? right : left;
    case DimExpression::Kind::saturating_sub: return std::max<int64_t>(left - right, 0);
    default: return 0;
  }
}

}  // namespace

FirstCall::FirstCall(const ir::Graph& graph, std::span<const ir::FirstValue> values) : graph_(graph) {
  for (const ir::FirstValue& value : values) values_.emplace(value.parameter, &value);
  find_makers(graph.body);
}

void FirstCall::find_makers(const ir::Region& region) {
  for (const ir::Operation& operation : region.operations) {
    for (const ir::Region& inner : operation.regions) find_makers(inner);
    if (!ir::is_loop(operation)) {
      for (const Id result : operation.results) makers_.emplace(result, Maker{&operation});
      continue;
    }
    const size_t before = ir::leading(operation);
    for (size_t k = 0; k < operation.results.size(); ++k) {
      const Maker maker{nullptr, operation.args[before + k]};
      makers_.emplace(operation.results[k], maker);
      makers_.emplace(operation.regions.back().parameters[before + k], maker);
    }
  }
}

std::optional<int64_t> FirstCall::extent(Dim dim) const { return extent(dim, 0); }

std::optional<int64_t> FirstCall::elements(const Shape& shape) const {
  int64_t all = 1;
  for (const Dim dim : shape) {
    const std::optional<int64_t> one = extent(dim);
    if (!one) return std::nullopt;
    all = combined(DimExpression::Kind::multiply, all, *one);
  }
  return all;
}

std::optional<Value> FirstCall::number(const Value& value) const { return number(value, 0); }

std::optional<int64_t> FirstCall::extent(Dim dim, unsigned depth) const {
  if (dim.known()) return dim.number();
  if (depth > max_depth) return std::nullopt;
  const DimExpression& of = graph_.dims[dim.id()];
  if (of.kind == DimExpression::Kind::axis_of) return extent_of(graph_.symbol(of.value), of.axis, depth + 1);
  if (of.kind == DimExpression::Kind::number) {
    const std::optional<int64_t> number = whole(this->number(graph_.symbol(of.value), depth + 1));
    return number ? std::optional(std::max<int64_t>(*number, 0)) : std::nullopt;
  }
  const std::optional<int64_t> left = extent(of.left, depth + 1), right = extent(of.right, depth + 1);
  return left && right ? std::optional(combined(of.kind, *left, *right)) : std::nullopt;
}

std::optional<int64_t> FirstCall::extent_of(const Value& value, unsigned axis, unsigned depth) const {
  const Shape shape = ir::type_in(graph_, value).shape;
  if (depth > max_depth || axis >= shape.rank()) return std::nullopt;
  if (shape[axis].known()) return shape[axis].number();
  if (!ir::is_symbol(value)) return std::nullopt;
  const Id id = ir::id_of(value);
  if (const auto given = values_.find(id); given != values_.end())
    return axis < given->second->extents.size() && given->second->extents[axis] >= 0
               ? std::optional(given->second->extents[axis])
               : std::nullopt;
  const DimExpression& own = graph_.dims[shape[axis].id()];
  const bool is_own = own.kind == DimExpression::Kind::axis_of && own.value == id && own.axis == axis;
  if (!is_own) return extent(shape[axis], depth + 1);
  const auto maker = makers_.find(id);
  if (maker == makers_.end() || maker->second.operation != nullptr) return std::nullopt;
  return extent_of(maker->second.first, axis, depth + 1);
}

std::optional<Value> FirstCall::number(const Value& value, unsigned depth) const {
  if (!ir::is_symbol(value)) return value.is_scalar() ? std::optional(value) : std::nullopt;
  const Id id = ir::id_of(value);
  if (depth > max_depth || graph_.values[id].boxed || !graph_.values[id].type.shape.empty()) return std::nullopt;
  if (const auto given = values_.find(id); given != values_.end())
    return given->second->number.is_scalar() ? std::optional(given->second->number) : std::nullopt;
  const auto maker = makers_.find(id);
  if (maker == makers_.end() || maker->second.operation == nullptr) return std::nullopt;
  const ir::Operation& operation = *maker->second.operation;
  if (operation.kind == Kind::dimension) {
    const auto extent = extent_of(operation.args[0], static_cast<unsigned>(operation.number), depth + 1);
    return extent ? std::optional(Value(*extent)) : std::nullopt;
  }
  if (operation.kind != Kind::apply || operation.entry->pointwise == nullptr) return std::nullopt;
  std::vector<Value> args;
  for (const Value& arg : operation.args) {
    const std::optional<Value> known = ir::has_symbols(arg) ? number(arg, depth + 1) : std::optional(arg);
    if (!known) return std::nullopt;
    args.push_back(*known);
  }
  return evaluator_.run(*operation.entry, std::move(args), operation.rest, operation.literals);
}

void FirstCall::find_origins(Dim dim, Origins& origins) const { find_origins(dim, origins, 0); }

void FirstCall::find_origins(Dim dim, Origins& origins, unsigned depth) const {
  if (dim.known()) return;
  origins.others |= depth > max_depth;
  if (depth > max_depth) return;
  const DimExpression& of = graph_.dims[dim.id()];
  if (of.kind == DimExpression::Kind::number) return find_origins(graph_.symbol(of.value), origins, depth + 1);
  if (of.kind != DimExpression::Kind::axis_of) {
    find_origins(of.left, origins, depth + 1);
    return find_origins(of.right, origins, depth + 1);
  }
  if (values_.contains(of.value)) {
    origins.axes.emplace(of.value, of.axis);
    return;
  }
  const Shape& shape = graph_.values[of.value].type.shape;
  if (of.axis < shape.rank() && shape[of.axis] != dim) return find_origins(shape[of.axis], origins, depth + 1);
  const auto maker = makers_.find(of.value);
  const bool carried = maker != makers_.end() && maker->second.operation == nullptr;
  const Value first = carried ? maker->second.first : Value();
  const Shape began = first.is_numeric() || ir::is_symbol(first) ? ir::type_in(graph_, first).shape : Shape();
  if (of.axis < began.rank()) return find_origins(began[of.axis], origins, depth + 1);
  origins.others = true;
}

// A number.
void FirstCall::find_origins(const Value& value, Origins& origins, unsigned depth) const {
  if (!ir::is_symbol(value)) return;
  const Id id = ir::id_of(value);
  if (values_.contains(id)) {
    origins.numbers.insert(id);
    return;
  }
  const auto maker = makers_.find(id);
  const ir::Operation* const operation = maker == makers_.end() ? nullptr : maker->second.operation;
  const bool applies = operation != nullptr && operation->kind == Kind::apply && operation->entry->pointwise != nullptr;
  if (operation != nullptr && operation->kind == Kind::dimension && ir::is_symbol(operation->args[0])) {
    const Shape& shape = graph_.values[ir::id_of(operation->args[0])].type.shape;
    if (operation->number < shape.rank())
      return find_origins(shape[static_cast<unsigned>(operation->number)], origins, depth + 1);
  }
  if (!applies || depth > max_depth) {
    origins.others = true;
    return;
  }
  for (const Value& arg : operation->args) find_origins(arg, origins, depth + 1);
}

}  // namespace covec::jit
