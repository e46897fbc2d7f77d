#include "jit/lower/stager.hpp"

#include "jit/lower/graph/not_staged.hpp"

namespace covec::ir {

Stager::Stager(ops::Context& context, ops::Builder& eager, Graph& graph, SelfCalls::Recursive& recursive)
    : writer_(context, graph),
      parameters_(writer_),
      lists_(context, writer_),
      builder_(context, eager, writer_, lists_, conversions_, conditional_values_, regions_),
      conversions_(builder_, writer_, lists_, conditional_values_, regions_),
      regions_(builder_, writer_, conversions_, conditional_values_, builder_.facts()),
      self_calls_(builder_, writer_, conversions_, conditional_values_, regions_, recursive),
      fallback_(writer_, regions_, conditional_values_),
      marks_(context, writer_) {}

void Stager::finish(Value result) {
  require_plain(result);
  self_calls_.complete();
  writer_.graph().body.results = {std::move(result)};
}

std::unique_ptr<ActiveWalk> Stager::active_walk(uint64_t memory) {
  return std::make_unique<ActiveWalk>(builder_, writer_, conditional_values_, memory);
}

bool Stager::defined(const Value* variable, Value& value, Value& is_defined) {
  const ConditionalValue* conditional = conditional_values_.find(*variable);
  if (conditional == nullptr) return false;
  value = conditional->value;
  is_defined = conditional->is_defined;
  return true;
}

namespace {

bool draws_numbers(const Operation& operation) {
  if (operation.kind == Kind::apply && operation.entry->effects.random) return true;
  return std::ranges::any_of(operation.regions,
                             [](const Region& inner) { return std::ranges::any_of(inner.operations, draws_numbers); });
}

}  // namespace

bool Stager::draws(size_t since) const { return std::ranges::any_of(writer_.appended_since(since), draws_numbers); }

bool Stager::may_interpret() const {
  const ops::Context& context = builder_.context();
  return context.innermost == nullptr && context.batches.empty();
}

}  // namespace covec::ir
