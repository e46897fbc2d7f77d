#include "jit/runtime/host_steps.hpp"

#include <utility>

#include "stdlib/ops/contract/entry.hpp"

namespace covec::runtime {

namespace {

// A collective of a derivative's rule is known as such, as in a sweep of the interpreter.
class RuleScope {
 public:
  RuleScope(ops::Context& context, const ops::Entry* rule_of)
      : context_(context), before_(std::exchange(context.rule_of, rule_of)) {}
  RuleScope(const RuleScope&) = delete;
  RuleScope& operator=(const RuleScope&) = delete;
  ~RuleScope() { context_.rule_of = before_; }

 private:
  ops::Context& context_;
  const ops::Entry* const before_;
};

}  // namespace

Value apply_at(const loops::Plan& plan, Host& host, uint32_t place, const ops::Entry& entry, std::span<Value> args,
               std::span<Value> rest, uint32_t literals) {
  const ir::SourcePlace& where = plan.graph->places[place];
  const Span& applied = where.rule_of != nullptr && where.site.known() ? where.site : where.whole;
  const auto apply = [&] {
    host.eager().context().site = applied.known() ? &applied : host.call_site();  // of warnings
    const RuleScope rule(host.eager().context(), entry.effects.meets ? where.rule_of : nullptr);
    return ops::call(host.eager(), entry, args, rest, literals);
  };
  // Ranks compare the places of the program's own text, which calls lead to.
  const bool asks_for_calls = entry.effects.calls || entry.effects.meets;
  return at_place(host, *plan.graph, place,
                  [&] { return asks_for_calls ? host.within(apply, *plan.graph, place) : apply(); });
}

void interpret(const loops::Plan& plan, Host& host, const loops::Step& step, const ir::Operation& operation,
               Slots& slots) {
  SmallVector<Value, 8> live(step.operands.size());
  slots.take_operands(step, span_of(live));
  const bool exits = operation.exits;
  host.note_effect();
  SmallVector<Value, 8> results(step.results.size() - (exits ? 1 : 0), Value::unbound());
  const int64_t ended = host.interpret(operation, *plan.graph, span_of(live), span_of(results));
  for (size_t i = 0; i < results.size(); ++i) slots.give(step.results[i], std::move(results[i]));
  if (exits) slots.give(step.results.back(), Value(ended));
}

void call(const loops::Plan& plan, Host& host, const loops::Step& step, Slots& slots) {
  SmallVector<Value, 8> values(step.operands.size());
  slots.take_operands(step, span_of(values));
  host.note_effect();
  slots.give(step.results[0], host.call(values[0], span_of(values).subspan(1), *plan.graph, step.place));
}

}  // namespace covec::runtime
