// Walks the values inside operands.
#include "jit/ir/graph.hpp"

#include <algorithm>
#include <stdexcept>

#include "stdlib/autodiff/level.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

uint32_t Graph::frames_inside() const {
  std::vector<uint32_t> depth(frames.size(), 0);
  for (size_t i = 1; i < depth.size(); ++i) {
    if (frames[i].caller < i) depth[i] = depth[frames[i].caller] + 1;  // a builtin's call of a function has no caller
  }
  return depth.empty() ? 0 : *std::ranges::max_element(depth);
}

size_t Functions::index_of(uint32_t serial) const {
  const auto found = std::ranges::find(all, serial, &Function::serial);
  if (found == all.end()) throw std::logic_error("a function that is nowhere");
  return static_cast<size_t>(found - all.begin());
}

void each_symbol(const Value& value, FunctionRef<void(Id)> f) {
  if (is_symbol(value)) return f(id_of(value));
  if (!value.is_object() || value.is_tensor()) return;
  if (const std::vector<Value>* items = children(value)) {
    for (const Value& item : *items) each_symbol(item, f);
    return;
  }
  for (const Value& part : parts_of(value)) each_symbol(part, f);
}

bool has_symbols(const Value& value) {
  bool any = false;
  each_symbol(value, [&](Id) { any = true; });
  return any;
}

Value replace_symbols(const Value& value, FunctionRef<Value(const Value& symbol)> f) {
  if (is_symbol(value)) return f(value);
  if (!value.is_object() || value.is_tensor() || !has_symbols(value)) return value;
  return autodiff::map_deep(value, [&](const Value& leaf) { return is_symbol(leaf) ? f(leaf) : leaf; });
}

void each_operand(Operation& operation, FunctionRef<void(Value&)> f) {
  for (Value& arg : operation.args) f(arg);
  for (Value& arg : operation.rest) f(arg);
  for (Region& region : operation.regions) {
    for (Value& result : region.results) f(result);
  }
}

void rename(Region& region, FunctionRef<Id(Id)> name, const Graph& graph) {
  const auto renamed = [&](Value& value) {
    value = replace_symbols(value, [&](const Value& symbol) {
      const Id id = id_of(symbol), now = name(id);
      return now == id ? symbol : graph.symbol(now);
    });
  };
  for (Operation& operation : region.operations) {
    for (Value& arg : operation.args) renamed(arg);
    for (Value& arg : operation.rest) renamed(arg);
    for (Region& inner : operation.regions) rename(inner, name, graph);
  }
  for (Value& result : region.results) renamed(result);
}

void rename(DimExpression& dim, const Value& stands_for) {
  if (is_symbol(stands_for))
    dim.value = id_of(stands_for);
  else if (stands_for.is_tensor())
    dim = known_dimension(stands_for.tensor().dim(dim.axis));
  else
    dim = known_dimension(stands_for.integer());
}

bool is_ordered(const Operation& operation) {
  switch (operation.kind) {
    case Kind::apply: {
      const ops::Effects& effects = operation.entry->effects;
      const bool known = operation.entry->type != nullptr || operation.entry->staging == ops::Staging::lists;
      return !known || effects.may_fail || effects.random || effects.prints || effects.outside || effects.calls;
    }
    case Kind::dimension:
    case Kind::undefined:
    case Kind::box:
    case Kind::unbox: return false;
    case Kind::if_:
      for (const Region& region : operation.regions) {
        for (const Operation& inner : region.operations) {
          if (is_ordered(inner)) return true;
        }
      }
      return false;
    default: return true;
  }
}

}  // namespace covec::ir
