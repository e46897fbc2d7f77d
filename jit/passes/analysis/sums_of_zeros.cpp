// See sums_of_zeros.hpp. All values that have a rule are taken for such sums at first. Those whose rule does not hold
// then go, until nothing changes: a loop hands a sum on to itself.
#include "jit/passes/analysis/sums_of_zeros.hpp"

#include <algorithm>
#include <cmath>

#include "stdlib/ops/contract/handles.hpp"

namespace covec::passes {

using namespace ir;

SumsOfZeros::SumsOfZeros(const Graph& graph) {
  add_rules(graph.body);
  for (const Rule& rule : rules_) found_.insert(rule.value);
  for (bool changed = true; changed;) {
    changed = false;
    for (const Rule& rule : rules_) {
      if (found_.contains(rule.value) && !holds(rule)) changed = found_.erase(rule.value) > 0;
    }
  }
}

void SumsOfZeros::add_rules(const Region& region) {
  for (const Operation& operation : region.operations) {
    if (operation.kind == Kind::undefined) rules_.push_back({operation.results[0], {}});
    if (operation.kind == Kind::apply && operation.results.size() == 1) add_rule(operation);
    if (operation.kind == Kind::if_ || is_loop(operation)) add_rules_of_regions(operation);
    for (const Region& inner : operation.regions) add_rules(inner);
  }
}

void SumsOfZeros::add_rule(const Operation& operation) {
  const ops::Handles& known = ops::handles();
  const ops::Entry* const entry = operation.entry;
  const std::vector<Value>& args = operation.args;
  const Id made = operation.results[0];
  if (entry == &known.zeros) rules_.push_back({made, {}});
  if (entry == &known.index_add || entry == &known.broadcast_to) rules_.push_back({made, {args[0]}});
  if (entry == &known.index_update) rules_.push_back({made, {args[0], args[1]}});
  if (entry == &known.add) rules_.push_back({made, {args[0], args[1]}, true});
  if (entry == &known.where) rules_.push_back({made, {args[1], args[2]}});
}

void SumsOfZeros::add_rules_of_regions(const Operation& operation) {
  const size_t first = leading(operation);
  for (size_t k = 0; k < operation.results.size(); ++k) {
    Rule rule{operation.results[k], {}};
    if (is_loop(operation)) rule.from.push_back(operation.args[first + k]);
    const auto from = operation.kind == Kind::while_ ? operation.regions.begin() + 1 : operation.regions.begin();
    std::for_each(from, operation.regions.end(), [&](const Region& inner) { rule.from.push_back(inner.results[k]); });
    if (is_loop(operation)) {
      for (const Region& inner : operation.regions) rules_.push_back({inner.parameters[first + k], rule.from});
    }
    rules_.push_back(std::move(rule));
  }
}

bool SumsOfZeros::holds(const Value& value) const {
  if (is_symbol(value)) return contains(id_of(value));
  return value.tag() == Tag::f64 && !std::signbit(value.f64());
}

bool SumsOfZeros::holds(const Rule& rule) const {
  const auto is_one = [&](const Value& value) { return holds(value); };
  return rule.any ? std::ranges::any_of(rule.from, is_one) : std::ranges::all_of(rule.from, is_one);
}

}  // namespace covec::passes
