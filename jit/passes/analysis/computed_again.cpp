// See computed_again.hpp. A value is recomputed if its operation is cheap and its operands are available. Available are
// constants, values from outside the loop, residuals (popped, or recomputed themselves), and a few other cheap values.
//
// The trade-off: an element is read again only from a tensor that is not changed later. A tensor that is held longer
// would have to be copied before it is changed in place.
//
// A tensor takes at most max_work operations for each element: loading it would take as long. The adjoint's kernels
// that read it do them in passing. No extents are known, so no decision depends on them.
#include "jit/passes/analysis/computed_again.hpp"

#include <algorithm>
#include <array>

#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/bodies/compare.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/shape/shape.hpp"

namespace covec::passes {

using namespace ir;

namespace {

constexpr unsigned max_unwanted = 2;  // one behind the other, computed for a residual's sake alone
constexpr unsigned max_work = 2;      // for each element of a tensor; two loads take as long

bool is_cheap(const ops::Entry& entry) {
  const ops::Handles& known = ops::handles();
  const std::array cheap = {&known.add,     &known.subtract, &known.multiply,  &known.negate,     &known.absolute,
                            &known.maximum, &known.minimum,  &known.scale,     &known.scale_both, &known.less,
                            &known.greater, &known.equal,    &known.not_equal, &known.where};
  return std::ranges::find(cheap, &entry) != cheap.end() || entry.is_cast() ||
         &entry == &ops::entry_of<ops::LessEqual>() || &entry == &ops::entry_of<ops::GreaterEqual>();
}

void each_operand(const Operation& operation, FunctionRef<void(Id)> f) {
  for (const Value& value : operation.args) each_symbol(value, f);
  for (const Value& value : operation.rest) each_symbol(value, f);
}

bool is_read(const Operation& operation) { return operation.entry == &ops::handles().index_read; }

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

void add_taken_over(const Operation& operation, std::unordered_set<Id>& taken) {
  const auto take = [&](const Value& value) { each_symbol(value, [&](Id id) { taken.insert(id); }); };
  const bool changes = operation.kind == Kind::apply && (operation.entry == &ops::handles().index_update ||
                                                         operation.entry == &ops::handles().index_add);
  if (changes) take(operation.args[0]);
  if (is_loop(operation)) std::ranges::for_each(operation.args, take);
  for (const Region& inner : operation.regions) std::ranges::for_each(inner.results, take);
}

ComputedAgain::ComputedAgain(Graph& graph, const Operation& loop, const Region& body, std::span<const Id> wanted,
                             bool index_known, const Stays& stays)
    : graph_(graph), body_(body), stays_(stays), wanted_(wanted.begin(), wanted.end()) {
  if (loop.kind == Kind::for_ && index_known) index_ = body.parameters[0];
  for (const Operation& operation : body.operations) {
    for (const Id id : operation.results) makers_[id] = &operation;
  }
  for (const Id id : wanted) choose(id, 0);
  for (const Id id : wanted) take(id);
}

// With what it is made of. Other values were looked at in vain: reading them could not be left out later.
void ComputedAgain::take(Id id) {
  const auto found = answers_.find(id);
  if (found == answers_.end() || !found->second || !again_.insert(id).second) return;
  if (id != index_) each_operand(*makers_.at(id), [&](Id operand) { take(operand); });
}

// Such cycles as there could be are broken by the answer that stands while it is being looked for.
ComputedAgain::Work ComputedAgain::choose(Id id, unsigned unwanted) {
  const auto [known, is_new] = answers_.try_emplace(id, std::nullopt);
  if (is_new) answers_[id] = answer(id, unwanted);
  return answers_[id];
}

ComputedAgain::Work ComputedAgain::answer(Id id, unsigned unwanted) {
  if (id == index_) return 0;
  const auto maker = makers_.find(id);
  if (maker == makers_.end()) return std::nullopt;
  // A row shares another tensor's elements: to keep it takes no memory, and less time than to read it again.
  if (wanted_.contains(id) && is_row(id) && !is_small(id)) return std::nullopt;
  Work work = of_operation(*maker->second);
  if (!work) return std::nullopt;
  std::set<Id> operands;
  each_operand(*maker->second, [&](Id operand) { operands.insert(operand); });
  for (const Id operand : operands) {
    const Work more = of_operand(operand, unwanted, is_number(id));
    if (!more) return std::nullopt;
    *work += *more + (is_small(id) && is_row(operand) ? 1 : 0);
  }
  return *work <= max_work ? work : std::nullopt;
}

bool ComputedAgain::is_inside(Id id) const {
  return makers_.contains(id) || std::ranges::find(body_.parameters, id) != body_.parameters.end();
}

// Small tensors become numbers. Each number of a row is loaded by itself then.
bool ComputedAgain::is_small(Id id) const {
  return !is_number(id) && std::ranges::all_of(graph_.values[id].type.shape, &Dim::known);
}
// One that an iteration reads, and not all of them the same.
bool ComputedAgain::is_row(Id id) const {
  const auto maker = makers_.find(id);
  if (is_number(id) || maker == makers_.end() || !is_read(*maker->second)) return false;
  bool varies = false;
  each_operand(*maker->second, [&](Id operand) { varies = varies || is_inside(operand); });
  return varies;
}

// Numbers by operations that take as long as a stack does; such operations on tensors; and parts of tensors.
ComputedAgain::Work ComputedAgain::of_operation(const Operation& operation) const {
  if (operation.kind == Kind::dimension) return 0;
  if (operation.kind != Kind::apply || operation.results.size() != 1) return std::nullopt;
  const Id result = operation.results[0];
  if (graph_.values[result].boxed) return std::nullopt;
  if (is_cheap(*operation.entry)) return is_number(result) ? 0 : 1;
  return is_part(operation) ? Work(0) : std::nullopt;
}

// An element, or a tensor that shares the elements of another one.
bool ComputedAgain::is_part(const Operation& operation) const {
  const ops::Handles& known = ops::handles();
  const std::array views = {&known.permute, &known.squeeze, &known.unsqueeze, &known.broadcast_to,
                            &ops::transpose_entry()};
  if (!is_read(operation)) return std::ranges::find(views, operation.entry) != views.end();
  return std::ranges::all_of(operation.rest, [&](const Value& at) {
    if (!is_symbol(at)) return at.tag() == Tag::i64;
    return is_number(id_of(at)) && graph_.values[id_of(at)].type.dtype == Dtype::i64;
  });
}

// What is wanted is there, popped or computed. A number is no reason to compute a tensor.
ComputedAgain::Work ComputedAgain::of_operand(Id id, unsigned unwanted, bool of_number) {
  if (id == index_ && !of_number) return choose(id, 0);
  if (!is_inside(id)) return (is_number(id) ? !graph_.values[id].boxed : stays_(id)) ? Work(0) : std::nullopt;
  if (wanted_.contains(id)) {
    const Work work = choose(id, 0);
    return of_number ? 0 : work.value_or(0);
  }
  const Work work = unwanted < max_unwanted ? choose(id, unwanted + 1) : std::nullopt;
  return of_number && work.value_or(0) > 0 ? std::nullopt : work;
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
