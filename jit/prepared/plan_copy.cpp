#include "jit/prepared/plan_copy.hpp"

#include <algorithm>

#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/map.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::jit {

namespace {

Value copy_tensor(const Tensor& tensor, Pool& pool, Elements elements) {
  if (elements == Elements::shared) {  // a copy, which is row-major
    auto* const data = const_cast<std::byte*>(tensor.data());
    return Tensor::share(pool, tensor.dtype(), tensor.shape(), data, true, nullptr, nullptr);
  }
  Value copy = make_tensor(pool, tensor.dtype(), tensor.shape());
  copy_elements(tensor, copy.tensor());
  return copy;
}

Value copy_sequence(const Sequence& sequence, Pool& pool, Elements elements) {
  if (const auto* range = dynamic_cast<const Range*>(&sequence))
    return make_range(range->start, range->stop, range->stride);
  const auto* symbolic = dynamic_cast<const SymbolicRange*>(&sequence);
  if (symbolic == nullptr) throw NotCopied{sequence.staging_key()};
  return range_between(deep_copy(symbolic->start, pool, elements), deep_copy(symbolic->stop, pool, elements),
                       symbolic->stride);
}

std::vector<Value> copy_all(const std::vector<Value>& values, Pool& pool, Elements elements) {
  std::vector<Value> copies;
  copies.reserve(values.size());
  for (const Value& value : values) copies.push_back(deep_copy(value, pool, elements));
  return copies;
}

}  // namespace

Value deep_copy(const Value& value, Pool& pool, Elements elements) {
  if (!value.is_object()) return value;
  switch (value.object()->kind) {
    case ObjectKind::tensor: return copy_tensor(value.tensor(), pool, elements);
    case ObjectKind::string: return make_string(std::string(value.string().text));
    case ObjectKind::tuple: return make_tuple(copy_all(value.tuple().items, pool, elements));
    case ObjectKind::list: return make_list(copy_all(value.list().items(), pool, elements));
    case ObjectKind::record: return make_record(value.record().layout, copy_all(value.record().items, pool, elements));
    case ObjectKind::complex: {
      std::vector<Value> parts = copy_all(complex_of(value).parts, pool, elements);
      return make_complex(std::move(parts[0]), std::move(parts[1]));
    }
    case ObjectKind::map: {
      const Map& map = map_of(value);
      return make_map(copy_all(map.keys(), pool, elements), copy_all(map.values(), pool, elements));
    }
    case ObjectKind::sequence: return copy_sequence(value.sequence(), pool, elements);
    case ObjectKind::function:
      if (const ops::Entry* entry = value.function().entry()) return ops::function_of(*entry);
      throw NotCopied{"the function " + value.function().name()};
    case ObjectKind::symbol: {
      const auto& symbol = static_cast<const Symbol&>(*value.object());
      return Value::adopt(new Symbol(symbol.type, symbol.id, symbol.boxed, symbol.list));
    }
    case ObjectKind::module:
    case ObjectKind::traced: break;
  }
  throw NotCopied{"a " + describe(value)};
}

namespace {

void each_value(std::vector<loops::Operand>& operands, FunctionRef<void(Value&)> f) {
  for (loops::Operand& operand : operands) f(operand.value);
}

void each_value(loops::Launch& launch, FunctionRef<void(Value&)> f) {
  for (loops::Launch::Member& member : launch.members) {
    for (loops::Launch::Source& source : member.args) f(source.value);
  }
  for (loops::Launch::Reduction& reduction : launch.reductions) std::ranges::for_each(reduction.attributes, f);
}

void each_value(loops::VectorLoop& loop, FunctionRef<void(Value&)> f) {
  for (loops::VectorLoop::Access& access : loop.reads) each_value(access.first, f);
  for (loops::VectorLoop::Access& access : loop.writes) each_value(access.first, f);
  for (loops::VectorLoop::Number& number : loop.numbers) each_value(number.element.first, f);
}

void each_value(loops::RowTileSteps& row_tiles, FunctionRef<void(Value&)> f) {
  for (loops::RowTileSteps::Member& member : row_tiles.members) {
    if (member.reduction) std::ranges::for_each(member.reduction->attributes, f);
  }
}

}  // namespace

void each_value(loops::Plan& plan, FunctionRef<void(Value&)> f) {
  for (loops::Step& step : plan.steps) each_value(step.operands, f);
  for (loops::Launch& launch : plan.launches) each_value(launch, f);
  for (loops::VectorLoop& loop : plan.vector_loops) each_value(loop, f);
  for (loops::RowTileSteps& row_tiles : plan.row_tiles) each_value(row_tiles, f);
  for (auto& [slot, value] : plan.constants) f(value);
  f(plan.result.value);
  each_value(plan.results, f);
  for (loops::Plan::Given& given : plan.given) f(given.absent);
}

std::unique_ptr<loops::Plan> copy_plan(const loops::Plan& plan, Pool& pool, Elements elements) {
  auto copy = std::make_unique<loops::Plan>(plan);
  each_value(*copy, [&](Value& value) { value = deep_copy(value, pool, elements); });
  return copy;
}

std::shared_ptr<const ir::Graph> graph_to_run(const ir::Graph& graph) {
  auto kept = std::make_shared<ir::Graph>();
  kept->name = graph.name;
  kept->values = graph.values;
  kept->places = graph.places;
  kept->is_function = graph.is_function;
  return kept;
}

}  // namespace covec::jit
