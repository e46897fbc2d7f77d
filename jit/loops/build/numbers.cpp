#include "jit/loops/build/numbers.hpp"

#include <algorithm>

#include "stdlib/ops/elementwise/operator.hpp"

namespace covec::loops {

using ir::Id;

void NumberBuilder::apply(const ir::Operation& operation) {
  std::vector<Value> args = operation.args;
  const ops::PointwiseInfo& info = operation.entry->pointwise->info;
  std::vector<ops::ScalarRef> operands;
  for (unsigned i = 0; i < info.arity - (info.parameter ? 1u : 0u); ++i) operands.push_back(places_.number(args[i]));
  const ops::Call call{*operation.entry, args, {}, operation.literals};
  if (weigh(graph_, operation).fails) {
    steps_.raise_where(operation, ops::lower_pointwise_failure(code_, call, operands)->id);
  }
  if (is_step(operation)) return steps_.apply(operation);
  std::optional<ops::ScalarRef> otherwise;
  define(operation.results[0], code_.apply(call, operands, otherwise), operands);
  if (otherwise) apply_where(operation, otherwise->id);
}

// The rest of a longer one is a function of the text.
bool NumberBuilder::is_step(const ir::Operation& operation) const {
  constexpr uint32_t longest = 16;  // instructions that stand in the loop
  return plain_ && weigh(graph_, operation).instructions > longest;
}

void NumberBuilder::define(Id id, ops::ScalarRef result, std::span<const ops::ScalarRef> operands) {
  if (std::ranges::any_of(operands, [&](ops::ScalarRef o) { return o.id == result.id; })) {
    // An operand unchanged: its register may be a loop's, which will change.
    code_.move(places_.define_number(id), result.id);
  } else {
    places_.define_number_in(id, result.id);
    code_.name(result.id, graph_.values[id].name);
  }
}

// Where the condition holds, the result in its register is what the operator itself gives.
void NumberBuilder::apply_where(const ir::Operation& operation, Register condition) {
  const OpenScope piece(scopes_);
  code_.begin_cold(condition);
  Step step = steps_.describe(operation, steps_.application(operation));
  step.results = {places_.number_slot(operation.results[0])};
  steps_.call(std::move(step));
  places_.load(operation.results[0]);
  code_.append(instruction::EndIf{});
}

}  // namespace covec::loops
