// See computed_again.hpp. A value is recomputed if its operation is cheap and its operands are available. Available are
// constants, values from outside the loop, residuals (popped, or recomputed themselves), and a few other cheap values.
//
// The trade-off: an element is read again only from a tensor that is not changed later. A tensor that is held longer
// would have to be copied before it is changed in place.
#include "jit/passes/analysis/computed_again.hpp"

#include <algorithm>
#include <array>

#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/bodies/compare.hpp"
#include "stdlib/ops/elementwise/operator.hpp"

namespace covec::passes {

using namespace ir;

namespace {

constexpr unsigned max_unwanted = 2;  // one behind the other, computed for a residual's sake alone

// How often the branch of a peeled pass, `less(0, count)`, goes on.
std::optional<Value> count_of_branch(const Operation& branch, const Region& around) {
  if (!is_symbol(branch.args[0])) return std::nullopt;
  const Id condition = id_of(branch.args[0]);
  for (const Operation& operation : around.operations) {
    const bool makes = std::ranges::find(operation.results, condition) != operation.results.end();
    if (!makes) continue;
    const bool counts = operation.kind == Kind::apply && operation.entry == &ops::handles().less &&
                        operation.args[0].tag() == Tag::i64 && operation.args[0].i64() == 0;
    return counts ? std::optional(operation.args[1]) : std::nullopt;
  }
  return std::nullopt;
}

void find_adjoints(Region& region, uint32_t serial, uint32_t sweep, std::vector<AdjointPass>& found) {
  for (Operation& operation : region.operations) {
    for (Region& inner : operation.regions) {
      const size_t before = found.size();
      find_adjoints(inner, serial, sweep, found);
      if (inner.adjoint_of != serial || inner.sweep != sweep) continue;
      AdjointPass adjoint{&inner, &operation, std::nullopt};
      const bool all_iterations = found.size() == before;  // none of them goes on inside
      if (operation.kind == Kind::if_) adjoint.count = count_of_branch(operation, region);
      if (operation.kind == Kind::for_ && all_iterations) adjoint.count = operation.args[0];
      found.push_back(std::move(adjoint));
    }
  }
}

}  // namespace

std::vector<AdjointPass> adjoints_of(Graph& graph, uint32_t serial, uint32_t sweep) {
  std::vector<AdjointPass> found;
  find_adjoints(graph.body, serial, sweep, found);
  return found;
}

ComputedAgain::ComputedAgain(Graph& graph, const Operation& loop, const Region& body, std::span<const Id> wanted,
                             bool index_known, const Stays& stays)
    : graph_(graph), body_(body), stays_(stays), wanted_(wanted.begin(), wanted.end()) {
  if (loop.kind == Kind::for_ && index_known) index_ = body.parameters[0];
  for (const Operation& operation : body.operations) {
    for (const Id id : operation.results) makers_[id] = &operation;
  }
  for (const Id id : wanted) choose(id, 0);
}

// Such cycles as there could be are broken by the answer that stands while it is being looked for.
bool ComputedAgain::choose(Id id, unsigned unwanted) {
  const auto [known, is_new] = answers_.try_emplace(id, false);
  if (is_new) answers_[id] = answer(id, unwanted);
  return answers_[id];
}

bool ComputedAgain::answer(Id id, unsigned unwanted) {
  if (id == index_) return true;
  const auto maker = makers_.find(id);
  if (maker == makers_.end() || !is_cheap(*maker->second)) return false;
  bool all = true;
  const auto see = [&](const Value& arg) { each_symbol(arg, [&](Id part) { all = all && is_there(part, unwanted); }); };
  for (const Value& arg : maker->second->args) see(arg);
  for (const Value& arg : maker->second->rest) see(arg);
  return all;
}

// Numbers, by operations that take as long as a stack does.
bool ComputedAgain::is_cheap(const Operation& operation) const {
  if (operation.kind != Kind::apply || operation.results.size() != 1) return false;
  const ValueInfo& result = graph_.values[operation.results[0]];
  if (result.boxed || !result.type.shape.empty()) return false;
  const ops::Handles& known = ops::handles();
  const std::array cheap = {&known.index_read, &known.add,     &known.subtract, &known.multiply,  &known.negate,
                            &known.absolute,   &known.maximum, &known.minimum,  &known.scale,     &known.scale_both,
                            &known.less,       &known.greater, &known.equal,    &known.not_equal, &known.where};
  return std::ranges::find(cheap, operation.entry) != cheap.end() || operation.entry->is_cast() ||
         operation.entry == &ops::entry_of<ops::LessEqual>() || operation.entry == &ops::entry_of<ops::GreaterEqual>();
}

bool ComputedAgain::is_there(Id id, unsigned unwanted) {
  const bool inside = makers_.contains(id) || std::ranges::find(body_.parameters, id) != body_.parameters.end();
  if (!inside) return graph_.values[id].type.shape.empty() ? !graph_.values[id].boxed : stays_(id);
  if (wanted_.contains(id)) return choose(id, 0), true;
  return unwanted < max_unwanted && choose(id, unwanted + 1);
}

// --- the operations ---

Id ComputedAgain::append_index(const AdjointPass& adjoint, std::vector<Operation>& to) const {
  const auto minus = [&](const Value& a, const Value& b) {
    Operation operation;
    operation.entry = &ops::handles().subtract;
    operation.args = {a, b};
    operation.place = adjoint.owner->place;
    operation.results = {graph_.add(Type{Dtype::i64, {}})};
    to.push_back(std::move(operation));
    return to.back().results[0];
  };
  const Id last = minus(*adjoint.count, Value(int64_t{1}));
  if (adjoint.owner->kind != Kind::for_) return last;
  return minus(graph_.symbol(last), graph_.symbol(adjoint.region->parameters[0]));
}

void ComputedAgain::append(const AdjointPass& adjoint, std::map<Id, Id>& names, std::vector<Operation>& to) const {
  if (index_ && contains(*index_)) names[*index_] = append_index(adjoint, to);
  const auto renamed = [&](const Value& value) {
    return replace_symbols(value, [&](const Value& symbol) {
      const auto name = names.find(id_of(symbol));
      return name == names.end() ? symbol : graph_.symbol(name->second);
    });
  };
  for (const Operation& operation : body_.operations) {
    if (operation.results.size() != 1 || !contains(operation.results[0])) continue;
    Operation again = operation;
    for (Value& arg : again.args) arg = renamed(arg);
    for (Value& arg : again.rest) arg = renamed(arg);
    again.results = {graph_.add_like(operation.results[0])};
    names[operation.results[0]] = again.results[0];
    to.push_back(std::move(again));
  }
}

}  // namespace covec::passes
