// Replaces operations on short rows in a loop by an inner loop over the rows' elements. The reverse of
// c = x * w[k] + b[k] reads rows, adds rows to others (index_add), and sums each cotangent to a size that only the run
// knows (sum_to): some 100 ns for each operation, whatever a row has. If all rows have as many elements, and few, one
// loop does all of it with numbers, in place.
//
// A group of such operations moves to one place. What it does not need stays before it, what needs its results comes
// behind it. Bits and errors are kept: for each column the loop does what the group does, in the same order, and no
// column meets another. If lengths differ, if rows are empty or long, or an index is out of range, the operations run
// as they were written. What may fail among them keeps its order against everything else that may fail.
//
// Rows that a forward group pushes for a reverse group become the rows of one tensor, so one allocation keeps them. If
// the forward group runs as it was written, that tensor is empty and each row is on its own stack. Which rows these are
// is found by arranging all groups without writing them, until pushes and pops agree. Start at row_groups, at the end.
#include <algorithm>
#include <map>
#include <memory>
#include <span>

#include "jit/passes/analysis/operation_writer.hpp"
#include "jit/passes/analysis/region_copy.hpp"
#include "jit/passes/passes.hpp"
#include "jit/passes/rows/column_loops.hpp"
#include "jit/passes/rows/row_group.hpp"

namespace covec::passes {

using namespace ir;

namespace {

using Operations = std::vector<Operation>;
using Order = std::vector<Operation*>;
using Role = RowGroup::Role;
using Stacks = std::set<int64_t>;

bool uses_any(const Operation& operation, const Ids& ids) {
  bool found = false;
  each_used(operation, [&](Id id) { found = found || ids.contains(id); });
  return found;
}
bool is_stack(const Operation& operation) { return operation.kind == Kind::push || operation.kind == Kind::pop; }

void each_stack(const Operation& operation, FunctionRef<void(const Operation&)> f) {
  if (is_stack(operation)) f(operation);
  for (const Region& inner : operation.regions) {
    for (const Operation& each : inner.operations) each_stack(each, f);
  }
}

// Operations in their order, with the members of a group brought together.
class Arrangement {
 public:
  Arrangement(const Graph& graph, const Order& operations, const RowKinds& kinds, uint64_t kind, const Stacks& stacks)
      : group(graph, stacks), graph_(graph) {
    for (Operation* operation : operations) sort(*operation, kinds.kind_of(*operation) == kind);
  }

  RowGroup group;
  Order before, members, after;

 private:
  void sort(Operation& operation, bool may_join) {
    const bool ordered = !is_stack(operation) && is_ordered(graph_, operation);
    const bool follows = uses_any(operation, after_) || (ordered && after_ordered_) || touches_stacks(operation);
    if (!follows && may_join && group.add(operation, needed_after_)) {
      members.push_back(&operation);
      made_.insert(operation.results.begin(), operation.results.end());
    } else if (follows || uses_any(operation, made_) || (ordered && group.may_fail())) {
      after.push_back(&operation);
      after_.insert(operation.results.begin(), operation.results.end());
      each_used(operation, [&](Id id) { needed_after_.insert(id); });
      after_ordered_ |= ordered;
      each_stack(operation, [&](const Operation& each) { stacks_after_.insert(each.number); });
    } else {
      before.push_back(&operation);
    }
  }
  bool touches_stacks(const Operation& operation) const {
    bool found = false;
    each_stack(operation, [&](const Operation& each) { found = found || stacks_after_.contains(each.number); });
    return found;
  }

  const Graph& graph_;
  Ids made_, after_, needed_after_;
  Stacks stacks_after_;
  bool after_ordered_ = false;
};

// How many nanoseconds an operation takes by itself, over 30, more or less. Elementwise ones share a kernel.
int cost_of(Role role) {
  switch (role) {
    case Role::read:
    case Role::pick: return 2;
    case Role::same:
    case Role::fill: return 3;
    case Role::put:
    case Role::change: return 4;
    case Role::compute:
    case Role::push:
    case Role::pop: return 1;
    case Role::extent:
    case Role::differs: return 0;
  }
  return 0;
}
constexpr int cost_of_loop = 8, cost_of_kept = 4;  // in the same unit

// The region's operations, in which a value is popped just before it is used first: by a group, perhaps.
Order pops_at_uses(Region& region) {
  std::map<int64_t, size_t> counts;
  for (const Operation& operation : region.operations) {
    each_stack(operation, [&](const Operation& each) { ++counts[each.number]; });
  }
  std::unordered_map<Id, Operation*> waiting;
  Order all;
  for (Operation& operation : region.operations) {
    if (operation.kind == Kind::pop && counts[operation.number] == 1) {
      waiting[operation.results[0]] = &operation;
      continue;
    }
    each_used(operation, [&](Id id) {
      const auto found = waiting.find(id);
      if (found == waiting.end()) return;
      all.push_back(found->second);
      waiting.erase(found);
    });
    all.push_back(&operation);
  }
  for (Operation& operation : region.operations) {
    if (!operation.results.empty() && waiting.contains(operation.results[0])) all.push_back(&operation);
  }
  return all;
}

// What a region becomes: operations as they are, and groups between them.
struct Step {
  Order plain;  // before the group
  std::unique_ptr<const RowGroup> group;
  std::vector<Id> outputs;  // of the group: what others use
  size_t number = 0;        // of the group, through the graph
};
struct RegionPlan {
  Region* region;
  std::vector<Step> steps;
};

// Finds groups that are worth it, and changes nothing.
class GroupFinder {
 public:
  GroupFinder(const Graph& graph, const Stacks& stacks) : graph_(graph), stacks_(stacks) {}

  void visit(Region& region, bool repeats, std::vector<RegionPlan>& plans) {
    for (Operation& operation : region.operations) {
      for (Region& inner : operation.regions) visit(inner, repeats || is_loop(operation), plans);
    }
    if (!repeats) return;
    Order all = pops_at_uses(region);
    uses_.clear();
    each_used(region, [&](Id id) { ++uses_[id]; });
    std::vector<Step> steps(1);
    arrange(std::move(all), steps);
    if (steps.size() > 1) plans.push_back({&region, std::move(steps)});
  }

 private:
  // The last of `steps` waits for its group.
  void arrange(Order operations, std::vector<Step>& steps) {
    while (!operations.empty()) {
      size_t end = 0;
      std::optional<Arrangement> found = best(operations, end);
      if (found) {
        arrange(std::move(found->before), steps);
        steps.back().outputs = *outputs_of(found->group);
        steps.back().number = groups_++;
        steps.back().group = std::make_unique<const RowGroup>(std::move(found->group));
        steps.emplace_back();
        operations = std::move(found->after);
      } else {
        const auto rest = operations.begin() + static_cast<ptrdiff_t>(end);
        steps.back().plain.insert(steps.back().plain.end(), operations.begin(), rest);
        operations.erase(operations.begin(), rest);
      }
    }
  }

  // The first group that is worth it; if none is, how many operations stay where they are.
  std::optional<Arrangement> best(const Order& operations, size_t& end) {
    const RowKinds kinds(graph_, operations);
    std::set<uint64_t> tried;
    end = operations.size();
    for (const Operation* operation : operations) {
      const std::optional<uint64_t> kind = kinds.kind_of(*operation);
      if (!kind || !tried.insert(*kind).second) continue;
      Arrangement found(graph_, operations, kinds, *kind, stacks_);
      if (found.members.empty()) continue;
      if (is_profitable(found.group)) return found;
      const auto last = std::ranges::find(operations, found.members.back());
      end = std::min(end, static_cast<size_t>(last - operations.begin()) + 1);
    }
    return std::nullopt;
  }

  // What others use; nothing if that is a tensor as it is between two changes.
  std::optional<std::vector<Id>> outputs_of(const RowGroup& group) const {
    std::unordered_map<Id, size_t> own;
    for (const RowGroup::Member& member : group.members()) each_used(*member.operation, [&](Id id) { ++own[id]; });
    std::vector<Id> outputs;
    for (const RowGroup::Member& member : group.members()) {
      if (member.operation->results.empty()) continue;
      const Id id = member.operation->results[0];
      const auto used = uses_.find(id);
      if (used == uses_.end() || used->second == own[id]) continue;
      const std::optional<size_t> chain = group.chain_of(id);
      if (chain && group.chains()[*chain].latest != id) return std::nullopt;
      outputs.push_back(id);
    }
    return outputs;
  }

  bool is_profitable(const RowGroup& group) const {
    const std::optional<std::vector<Id>> outputs = outputs_of(group);
    if (!outputs || (group.lengths().empty() && !group.known_length())) return false;
    int saved = 0, kept = 0;
    for (const RowGroup::Member& member : group.members()) saved += cost_of(member.role);
    for (const Id output : *outputs) kept += group.rows_of(output) > 0 ? 1 : 0;
    return saved > cost_of_loop + cost_of_kept * kept;
  }

  const Graph& graph_;
  const Stacks& stacks_;
  std::unordered_map<Id, size_t> uses_;  // in the region
  size_t groups_ = 0;
};

// How often groups push to a stack, and pop from it: by their numbers. Stacks of which this is the same make a pack.
struct StackUse {
  std::map<size_t, size_t> pushes, pops;
  Dtype dtype = Dtype::f64;
  auto operator<=>(const StackUse&) const = default;
};
using RowPacks = std::map<StackUse, RowPack>;

// How many pushes and pops of each stack there are.
std::map<int64_t, std::pair<size_t, size_t>> count_stacks(const Graph& graph) {
  std::map<int64_t, std::pair<size_t, size_t>> counts;
  for (const Operation& operation : graph.body.operations) {
    each_stack(operation, [&](const Operation& each) {
      auto& [pushes, pops] = counts[each.number];
      ++(each.kind == Kind::push ? pushes : pops);
    });
  }
  return counts;
}

// Stacks that only members of groups use.
std::map<int64_t, StackUse> uses_of_stacks(const Graph& graph, const std::vector<RegionPlan>& plans) {
  std::map<int64_t, StackUse> uses;
  for (const RegionPlan& plan : plans) {
    for (const Step& step : plan.steps) {
      if (step.group == nullptr) continue;
      for (const RowGroup::Member& member : step.group->members()) {
        if (!is_stack(*member.operation)) continue;
        StackUse& use = uses[member.operation->number];
        const bool push = member.role == Role::push;
        ++(push ? use.pushes : use.pops)[step.number];
        const Value row = push ? member.operation->args[0] : graph.symbol(member.operation->results[0]);
        use.dtype = type_in(graph, row).dtype;
      }
    }
  }
  std::erase_if(uses, [counts = count_stacks(graph)](const auto& each) {
    const auto total = [](const std::map<size_t, size_t>& by_group) {
      size_t sum = 0;
      for (const auto& [group, count] : by_group) sum += count;
      return sum;
    };
    const auto& [pushes, pops] = counts.at(each.first);
    const StackUse& use = each.second;
    return pushes == 0 || pops == 0 || total(use.pushes) != pushes || total(use.pops) != pops;
  });
  return uses;
}

// Groups in which pushes and pops agree.
std::vector<RegionPlan> find_groups(Graph& graph, RowPacks& packs) {
  Stacks stacks;
  if (!graph.is_function && graph.functions.all.empty()) {
    for (const auto& [stack, counts] : count_stacks(graph)) stacks.insert(stack);
  }
  for (;;) {
    std::vector<RegionPlan> plans;
    GroupFinder(graph, stacks).visit(graph.body, false, plans);
    Stacks agreed;
    packs.clear();
    for (const auto& [stack, use] : uses_of_stacks(graph, plans)) {
      agreed.insert(stack);
      RowPack& pack = packs[use];
      pack.dtype = use.dtype;
      pack.stacks.push_back(stack);
    }
    if (agreed == stacks || plans.empty()) return plans;
    stacks = std::move(agreed);
  }
}

// Lengths are known to be equal, and indices to be in range.
bool never_chooses(const RowGroup& group) {
  if (!group.indices_to_check().empty()) return false;
  const bool pops = std::ranges::any_of(group.members(), [](const auto& member) { return member.role == Role::pop; });
  return group.known_length() && !pops && std::ranges::all_of(group.lengths(), [](const RowGroup::Length& each) {
           return !each.is_piece() && (each.axis ? each.dim.known() : !is_symbol(each.value));
         });
}

class ReplaceGroups {
 public:
  ReplaceGroups(Graph& graph, const std::vector<RegionPlan>& plans, RowPacks& packs) : graph_(graph), packs_(packs) {
    std::set<size_t> sure;
    for (const RegionPlan& plan : plans) {
      for (const Step& step : plan.steps) {
        if (step.group != nullptr && never_chooses(*step.group)) sure.insert(step.number);
      }
    }
    for (auto& [use, pack] : packs_) {
      pack.stack = graph.stacks++;
      pack.always = std::ranges::all_of(use.pushes, [&](const auto& each) { return sure.contains(each.first); });
    }
  }

  void replace(RegionPlan& plan) {
    Operations made;
    for (const Step& step : plan.steps) {
      for (Operation* operation : step.plain) made.push_back(std::move(*operation));
      if (step.group != nullptr) replace(step, made);
    }
    plan.region->operations = std::move(made);
  }

 private:
  struct Choice {
    const Step& step;
    const OperationWriter writer;
    ColumnLoops::Packs packs;
    Value count;
    std::optional<Value> holds;  // nothing: it is known to
  };

  void replace(const Step& step, Operations& to) {
    const uint32_t place = step.group->members()[0].operation->place;
    Choice choice{step, OperationWriter(graph_, place), {}, {}, {}};
    take_packs(choice, place, to);
    const std::optional<int64_t> known = step.group->known_length();
    choice.count = known ? Value(*known) : length(step.group->lengths()[0], choice.writer, to);
    demand_lengths(choice, to);
    demand_indices(choice, to);
    demand_apart(choice, to);
    Operation made;
    made.kind = Kind::if_;
    made.place = place;
    made.results = step.outputs;
    for (const auto& [pack, tensors] : choice.packs.pushed) {
      for (size_t i = 0; i < tensors; ++i) made.results.push_back(pack_result(*pack, choice));
    }
    const std::vector<Id> results = made.results;
    choice.holds ? choose(choice, std::move(made), to) : run(choice, made.results, to);
    push_packs(choice, std::span(results).subspan(step.outputs.size()), place, to);
  }

  // --- packs ---

  void take_packs(Choice& choice, uint32_t place, Operations& to) {
    for (const auto& [use, pack] : packs_) {
      if (const auto pushes = use.pushes.find(choice.step.number); pushes != use.pushes.end())
        choice.packs.pushed.emplace_back(&pack, pushes->second);
      const auto pops = use.pops.find(choice.step.number);
      if (pops == use.pops.end()) continue;
      std::vector<Value>& tensors = choice.packs.popped.emplace_back(&pack, std::vector<Value>()).second;
      while (tensors.size() < pops->second) tensors.push_back(pop_pack(pack, choice, place, to));
    }
  }
  Value pop_pack(const RowPack& pack, const Choice& choice, uint32_t place, Operations& to) {
    Operation pop;
    pop.kind = Kind::pop;
    pop.number = pack.stack;
    pop.place = place;
    pop.results = {add_pack(pack, pack.always ? choice.step.group->known_length() : std::nullopt)};
    to.push_back(pop);
    return graph_.symbol(pop.results[0]);
  }
  Id add_pack(const RowPack& pack, std::optional<int64_t> columns) {
    const Id id = graph_.add(Type{pack.dtype, {}});
    graph_.dims.push_back({DimExpression::Kind::axis_of, id, 1});
    Shape& shape = graph_.values[id].type.shape;
    shape.push_back(Dim(static_cast<int64_t>(pack.stacks.size())));
    shape.push_back(columns ? Dim(*columns) : Dim::symbol(static_cast<uint32_t>(graph_.dims.size() - 1)));
    return id;
  }
  Id pack_result(const RowPack& pack, const Choice& choice) {
    const Id id = add_pack(pack, choice.holds ? std::nullopt : choice.step.group->known_length());
    graph_.values[id].name = "rows as one tensor";  // explain says what each row is, too
    return id;
  }
  void push_packs(const Choice& choice, std::span<const Id> tensors, uint32_t place, Operations& to) {
    size_t next = 0;
    for (const auto& [pack, count] : choice.packs.pushed) {
      for (size_t i = 0; i < count; ++i) {
        Operation push;
        push.kind = Kind::push;
        push.number = pack->stack;
        push.place = place;
        push.args = {graph_.symbol(tensors[next++])};
        to.push_back(std::move(push));
      }
    }
  }

  // --- lengths ---

  static Value length(const RowGroup::Length& of, const OperationWriter& writer, Operations& to) {
    if (!of.axis) return of.value;
    const Value end = of.stop ? *of.stop : writer.extent(to, of.value, *of.axis);
    return of.start ? writer.number(to, ops::handles().subtract, {end, *of.start}) : end;
  }
  // That all are as long, and not too long.
  void demand_lengths(Choice& choice, Operations& to) {
    const Value& count = choice.count;
    std::vector<RowGroup::Length> asked;
    if (is_symbol(count)) {
      asked.push_back(choice.step.group->lengths()[0]);
      demand(choice, ops::handles().less_equal, Value(shortest_row), count, to);
      demand(choice, ops::handles().less_equal, count, Value(longest_row), to);
    }
    for (const RowGroup::Length& each : choice.step.group->lengths()) {
      if (each.is_piece()) demand_piece(choice, each, to);
      if (each.axis ? each.dim.known() : !is_symbol(each.value)) continue;
      if (std::ranges::any_of(asked, [&](const RowGroup::Length& other) { return same(each, other); })) continue;
      asked.push_back(each);
      demand(choice, ops::handles().equal, length(each, choice.writer, to), count, to);
    }
    for (const auto& [pack, tensors] : choice.packs.popped) {
      for (const Value& tensor : tensors) {
        const Value columns = choice.writer.extent(to, tensor, 1);
        if (is_symbol(columns)) demand(choice, ops::handles().equal, columns, count, to);
      }
    }
  }
  // It lies in the tensor as it is written.
  void demand_piece(Choice& choice, const RowGroup::Length& of, Operations& to) {
    const ops::Handles& known = ops::handles();
    const Value extent = choice.writer.extent(to, of.value, *of.axis);
    if (of.start && (is_symbol(*of.start) || of.start->i64() < 0))
      demand(choice, known.less_equal, Value(int64_t{0}), *of.start, to);
    if (of.stop && is_symbol(*of.stop)) demand(choice, known.less_equal, Value(int64_t{0}), *of.stop, to);
    if (of.stop && (is_symbol(*of.stop) || is_symbol(extent) || of.stop->i64() > extent.i64()))
      demand(choice, known.less_equal, *of.stop, extent, to);
  }
  // Then nothing fails.
  void demand_indices(Choice& choice, Operations& to) {
    const ops::Handles& known = ops::handles();
    for (const RowGroup::IndexToCheck& each : choice.step.group->indices_to_check()) {
      const Value extent = choice.writer.extent(to, each.tensor, each.axis);
      demand(choice, known.less, each.index, extent, to);
      const bool from_begin = !is_symbol(each.index) && each.index.i64() >= 0;
      if (from_begin) continue;
      demand(choice, known.less_equal, Value(int64_t{0}), choice.writer.number(to, known.add, {each.index, extent}),
             to);
    }
  }
  // Pieces of a tensor that is changed do not overlap, so that no column meets another.
  void demand_apart(Choice& choice, Operations& to) {
    const ops::Handles& known = ops::handles();
    for (const std::vector<Value>& places : choice.step.group->places_of_pieces()) {
      for (size_t i = 0; i < places.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
          const Value forth = choice.writer.number(to, known.subtract, {places[i], places[j]});
          const Value back = choice.writer.number(to, known.subtract, {places[j], places[i]});
          const Value behind = choice.writer.truth(to, known.less_equal, {choice.count, forth});
          const Value before = choice.writer.truth(to, known.less_equal, {choice.count, back});
          demand(choice, choice.writer.truth(to, known.bit_or, {behind, before}), to);
        }
      }
    }
  }
  static void demand(Choice& choice, const ops::Entry& entry, const Value& left, const Value& right, Operations& to) {
    demand(choice, choice.writer.truth(to, entry, {left, right}), to);
  }
  static void demand(Choice& choice, const Value& holds, Operations& to) {
    choice.holds = choice.holds ? choice.writer.truth(to, ops::handles().bit_and, {*choice.holds, holds}) : holds;
  }
  static bool same(const RowGroup::Length& a, const RowGroup::Length& b) {
    if (a.is_piece() || b.is_piece()) return false;
    if (a.axis && b.axis) return a.dim == b.dim;
    return !a.axis && !b.axis && is_symbol(a.value) && is_symbol(b.value) && id_of(a.value) == id_of(b.value);
  }

  // --- what runs ---

  void run(const Choice& choice, const std::vector<Id>& results, Operations& to) {
    const size_t first = to.size();
    const std::vector<Value> made =
        ColumnLoops(graph_, *choice.step.group, choice.step.outputs, choice.packs).build(choice.count, to);
    std::unordered_map<Id, Id> names;
    for (size_t i = 0; i < results.size(); ++i) names[id_of(made[i])] = results[i];
    for (Operation& operation : std::span(to).subspan(first)) {
      each_operand(operation, [&](Value& value) {
        const auto name = is_symbol(value) ? names.find(id_of(value)) : names.end();
        if (name != names.end()) value = graph_.symbol(name->second);
      });
      for (Id& result : operation.results) {
        if (const auto name = names.find(result); name != names.end()) result = name->second;
      }
    }
  }

  void choose(Choice& choice, Operation made, Operations& to) {
    made.args = {*choice.holds};
    made.regions.resize(2);
    const Step& step = choice.step;
    made.regions[0].results =
        ColumnLoops(graph_, *step.group, step.outputs, choice.packs).build(choice.count, made.regions[0].operations);
    Region& otherwise = made.regions[1];
    RegionCopy copy(graph_);
    std::unordered_map<int64_t, size_t> pops;
    for (const RowGroup::Member& member : step.group->members()) {
      member.role == Role::pop
          ? pop_row(choice, *member.operation, pops[member.operation->number]++, copy, otherwise.operations)
          : copy.copy(*member.operation, otherwise.operations);
    }
    for (const Id output : step.outputs) otherwise.results.push_back(copy.value(graph_.symbol(output)));
    for (const auto& [pack, tensors] : choice.packs.pushed) {
      for (size_t i = 0; i < tensors; ++i) otherwise.results.push_back(empty(*pack, choice, otherwise));
    }
    to.push_back(std::move(made));
  }
  Value empty(const RowPack& pack, const Choice& choice, Region& in) {
    const Value rows(static_cast<int64_t>(pack.stacks.size()));
    const Value cast = pack.dtype == Dtype::f64 ? Value() : ops::function_of(ops::cast_entry(pack.dtype));
    return choice.writer.apply(in.operations, ops::handles().zeros, {Value(), cast},
                               Type{pack.dtype, {Dim(rows.i64()), Dim(0)}}, {rows, Value(int64_t{0})});
  }
  // It has been pushed by itself, or in a pack.
  void pop_row(const Choice& choice, const Operation& pop, size_t nth, RegionCopy& copy, Operations& to) {
    const auto of = [&](const auto& each) { return each.first->row_of(pop.number).has_value(); };
    const auto& [pack, tensors] = *std::ranges::find_if(choice.packs.popped, of);
    const Value& tensor = tensors[nth];
    const Id row = copy.define(pop.results[0]);
    Operation which;
    which.kind = Kind::if_;
    which.place = pop.place;
    which.args = {
        choice.writer.truth(to, ops::handles().less, {Value(int64_t{0}), choice.writer.extent(to, tensor, 1)})};
    which.results = {row};
    which.regions.resize(2);
    which.regions[0].results = {read_row(choice, *pack, tensor, pop.number, which.regions[0].operations)};
    Operation own = pop;
    own.results = {graph_.add_like(row)};
    which.regions[1].results = {graph_.symbol(own.results[0])};
    which.regions[1].operations.push_back(std::move(own));
    to.push_back(std::move(which));
  }
  Value read_row(const Choice& choice, const RowPack& pack, const Value& tensor, int64_t stack, Operations& to) {
    ops::IndexSpec spec;
    spec.push(ops::IndexSpec::Item::at);
    const Type type{pack.dtype, {type_in(graph_, tensor).shape[1]}};
    return choice.writer.apply(to, ops::handles().index_read, {tensor, Value(spec.packed())}, type,
                               {Value(*pack.row_of(stack))});
  }

  Graph& graph_;
  RowPacks& packs_;
};

}  // namespace

void row_groups(Graph& graph) {
  RowPacks packs;
  std::vector<RegionPlan> plans = find_groups(graph, packs);
  ReplaceGroups replacing(graph, plans, packs);
  for (RegionPlan& plan : plans) replacing.replace(plan);
}

}  // namespace covec::passes
