#include "jit/passes/analysis/why_not.hpp"

#include "jit/passes/analysis/failures.hpp"
#include "stdlib/ops/contract/handles.hpp"

namespace covec::passes {

using namespace ir;

void each_small_part(const Graph& graph, const Operation& operation, FunctionRef<void(const Type&)> f) {
  const ops::Handles& known = ops::handles();
  const bool reads = operation.entry == &known.index_read;
  const bool sets = operation.entry == &known.index_update || operation.entry == &known.index_add;
  const auto part = [&](const Value& value) {
    const bool boxed = is_symbol(value) ? graph.values[id_of(value)].boxed : !value.is_numeric();
    if (!boxed) f(type_in(graph, value));
  };
  if (!sets && !graph.values[operation.results[0]].boxed) f(graph.values[operation.results[0]].type);
  for (size_t i = reads || sets ? 1 : 0; i < operation.args.size(); ++i) part(operation.args[i]);
  for (const Value& value : operation.rest) part(value);
}

WhyNot why_not(const Graph& graph, Evaluator& evaluator, const Operation& operation) {
  bool unknown = false, large = false;
  each_small_part(graph, operation, [&](const Type& type) {
    unknown |= !type.shape.known();
    large |= type.shape.known() && !is_small(type);
  });
  if (large) return WhyNot::too_many_elements;
  if (unknown) return WhyNot::unknown_extent;
  if (recipe_of(graph, evaluator, operation) || change_of(graph, evaluator, operation)) return WhyNot::no_gain;
  return has_form(graph, operation) && may_fail_or_acts(graph, operation) ? WhyNot::may_fail : WhyNot::no_form;
}

}  // namespace covec::passes
