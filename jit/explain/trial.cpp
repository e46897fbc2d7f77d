#include "jit/explain/trial.hpp"

#include <exception>

namespace covec::jit {

namespace {

// The values of the first call that decide about these sizes.
std::vector<ir::FirstValue> deciding(std::span<const ir::FirstValue> first, const FirstCall::Origins& origins) {
  std::vector<ir::FirstValue> all(first.begin(), first.end());
  for (ir::FirstValue& value : all) {
    if (!origins.numbers.contains(value.parameter)) value.number = Value();
    for (uint32_t axis = 0; axis < value.extents.size(); ++axis) {
      if (!origins.axes.contains({value.parameter, axis})) value.extents[axis] = -1;
    }
  }
  return all;
}

class Knowing {
 public:
  Knowing(ir::Graph& graph, const FirstCall& known, const std::set<ir::Id>& numbers)
      : graph_(graph), known_(known), numbers_(numbers) {}

  void run() {
    std::vector<std::optional<int64_t>> extents;
    for (uint32_t d = 0; d < graph_.dims.size(); ++d) extents.push_back(known_.extent(Dim::symbol(d)));
    for (ir::ValueInfo& value : graph_.values) {
      for (unsigned axis = 0; axis < value.type.shape.rank(); ++axis) {
        Dim& dim = value.type.shape[axis];
        if (!dim.known() && extents[dim.id()]) dim = *extents[dim.id()];
      }
    }
    for (uint32_t d = 0; d < graph_.dims.size(); ++d) {
      if (extents[d]) graph_.dims[d] = ir::known_dimension(*extents[d]);
    }
    region(graph_.body);
  }

 private:
  void region(ir::Region& region) {
    for (ir::Operation& operation : region.operations) {
      for (Value& value : operation.args) rewrite(value);
      for (Value& value : operation.rest) rewrite(value);
      for (ir::Region& inner : operation.regions) this->region(inner);
    }
    for (Value& value : region.results) rewrite(value);
  }
  // Symbols hold their types.
  void rewrite(Value& value) const {
    if (!ir::has_symbols(value)) return;
    value = ir::replace_symbols(value, [&](const Value& symbol) {
      const std::optional<Value> number = numbers_.contains(ir::id_of(symbol)) ? known_.number(symbol) : std::nullopt;
      return number ? *number : graph_.symbol(ir::id_of(symbol));
    });
  }

  ir::Graph& graph_;
  const FirstCall& known_;
  const std::set<ir::Id>& numbers_;
};

}  // namespace

std::optional<Code> with_sizes(const Code& code, std::span<const ir::FirstValue> first,
                               const FirstCall::Origins& origins) {
  if (code.graph->has_recursion() || code.graph->is_function) return std::nullopt;
  const std::vector<ir::FirstValue> values = deciding(first, origins);
  auto graph = std::make_shared<ir::Graph>(*code.graph);
  Knowing(*graph, FirstCall(*code.graph, values), origins.numbers).run();
  if (!ir::verify(*graph).empty()) return std::nullopt;
  Code tried;
  try {
    optimize(*graph, tried.times, {.again = true, .verify = true});
    tried.graph = std::move(graph);
    tried.plan = make_plan(tried.graph);
  } catch (const std::exception&) {
    return std::nullopt;
  }
  return tried;
}

}  // namespace covec::jit
