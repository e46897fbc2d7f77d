// Makes the residuals of a reverse sweep explicit. Staging writes the reverse sweep as adjoint regions of the forward
// regions. Their operations name values of the forward regions directly, as if these were visible. This pass makes them
// visible:
//
// - A value of a branch becomes a result of the branch. It is undefined if the other path is taken; its reverse does
//   not run then.
// - A value of a loop's body is pushed on a stack at the end of each iteration. Each iteration of the reverse loop pops
//   it first; the reverse loop runs backwards.
// - A value inside several regions moves out one region at a time, the innermost region first.
//
// Invariants. Before the pass, a value may be named outside its own region in few places only: in an adjoint of that
// region, in an adjoint of that adjoint in turn, or in a region inside of these. So the forward operation always stands
// before the operation that names its values. Both also run alike: a branch's adjoint tests the same condition, and a
// loop's adjoint makes as many iterations, the last one first.
//
// Each step takes one region, the deepest whose values are named outside. After the step, no value of that region is
// named outside. The replacements belong to the region around it, so later steps need not come back. The last step ends
// at the function itself. The deepest region comes first also because a push stands at the end of an iteration: values
// of inner regions have been brought out by then.
//
// A stack knows only the order of iterations. So a body's adjoint must pop exactly once for each iteration that pushed,
// whether the value is needed or not. Two things follow. In an adjoint region, the Stager writes the reverse even of a
// region that no cotangent reaches. And if a loop's value is named but its body has no adjoint region, that is a bug in
// covec.
//
// Several regions of one reverse sweep (Region::sweep) may be adjoints of one body: an iteration peeled off an adjoint
// loop is one. Each reverse iteration then runs exactly one of them. A derivative of a derivative has several reverse
// sweeps, each with stacks of its own.
//
// A second derivative differentiates the adjoint, which is then a forward computation. It pushes for that what it has
// popped. The second derivative also goes back through the function itself. In its regions it names values of the
// reverse of the adjoint: the cotangents of what the adjoint has used. So regions that run through one loop's
// iterations in opposite directions hand values to each other as a body and its adjoint do (way_to). Two that run in
// the same direction need a third between them, which runs in the other one: it takes the values off the stacks and
// puts them on others. Where loops stand in loops it may take several, one after the other.
//
// Cheap values are recomputed instead (computed_again.hpp). An extent is kept as a number, without its tensor.
#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include "jit/passes/analysis/computed_again.hpp"
#include "jit/passes/passes.hpp"
#include "stdlib/ops/contract/handles.hpp"

namespace covec::passes {

using namespace ir;

namespace {

struct Node {  // a region's place in the tree of regions
  Region* region = nullptr;
  int parent = -1;
  unsigned depth = 0;
};

class Residuals {
 public:
  explicit Residuals(Graph& graph) : graph_(graph) {}

  void run() {
    while (step()) {
    }
  }

 private:
  // Brings the uses of the deepest regions' values out of them; false when there is nothing left to do. Of regions that
  // go back through each other one at a time, as they name each other's values; others know nothing of each other.
  bool step() {
    nodes_.clear();
    defined_.clear();
    foreign_.clear();
    taken_over_.clear();
    regions_.clear();
    node_of_.clear();
    visit(graph_.body, -1);
    for (size_t i = 0; i < nodes_.size(); ++i) find_uses(static_cast<int>(i));
    if (foreign_.empty()) return false;
    std::map<int, std::vector<Id>> by_region;
    unsigned depth = 0;
    for (const auto& [id, uses] : foreign_) {
      const int at = defined_.at(id);
      by_region[at].push_back(id);
      depth = std::max(depth, nodes_[at].depth);
    }
    std::set<const void*> done;
    for (const auto& [at, ids] : by_region) {
      const Node& node = nodes_[at];
      if (node.depth == depth && done.insert(group_of(node)).second) bring_out(node, ids);
    }
    return true;
  }

  // The same of regions that go back through each other, and of the two paths of a branch.
  const void* group_of(const Node& node) const {
    const Region* region = node.region;
    if (region->serial == 0) return region;
    return operation_of(nodes_[node_of_.at(regions_.at(forward_of(*region).first))]).regions.data();
  }

  // Operations move when others are put in before them, regions do not.
  Operation& operation_of(const Node& node) const {
    if (node.parent < 0) throw std::logic_error("a value of the function itself is not visible");
    for (Operation& operation : nodes_[node.parent].region->operations) {
      for (const Region& region : operation.regions) {
        if (&region == node.region) return operation;
      }
    }
    throw std::logic_error("a region that is nowhere");
  }

  void bring_out(const Node& node, const std::vector<Id>& ids) {
    if (extents_instead(node, ids)) return;
    for (const Id id : ids) {
      if (!brought_out_.insert(id).second) throw std::logic_error("a value that only an adjoint may name");
    }
    if (operation_of(node).kind == Kind::if_)
      out_of_branch(node, ids);
    else
      onto_stacks(node, ids);
  }

  void visit(Region& region, int parent) {
    const int self = static_cast<int>(nodes_.size());
    nodes_.push_back({&region, parent, parent < 0 ? 0 : nodes_[parent].depth + 1});
    node_of_[&region] = self;
    if (region.serial != 0) regions_[region.serial] = &region;
    for (const Id id : region.parameters) defined_[id] = self;
    for (Operation& operation : region.operations) {
      for (const Id id : operation.results) defined_[id] = self;
      add_taken_over(operation, taken_over_);
      for (Region& inner : operation.regions) visit(inner, self);
    }
  }

  bool visible(int definition, int use) const {
    for (; use >= 0; use = nodes_[use].parent) {
      if (use == definition) return true;
    }
    return false;
  }

  void see(const Value& value, int at) {
    each_symbol(value, [&](Id id) {
      const auto definition = defined_.find(id);
      if (definition == defined_.end()) throw std::logic_error("a value that nothing defines");
      if (!visible(definition->second, at)) foreign_[id].insert(at);
    });
  }

  void find_uses(int at) {
    const Region& region = *nodes_[at].region;
    for (const Operation& operation : region.operations) {
      for (const Value& arg : operation.args) see(arg, at);
      for (const Value& arg : operation.rest) see(arg, at);
    }
    for (const Value& result : region.results) see(result, at);
  }

  // --- extents: what is wanted of a tensor may be its extent only ---

  // Uses outside that are `dimension` read a number instead, which the region computes. True when there were any.
  bool extents_instead(const Node& node, const std::vector<Id>& ids) {
    std::map<std::pair<Id, int64_t>, Id> numbers;
    const std::set<Id> wanted(ids.begin(), ids.end());
    std::map<Id, Id> renamed;
    replace_extents(graph_.body, node, wanted, numbers, renamed);
    if (renamed.empty()) return false;
    rename(
        graph_.body, [&](Id id) { return renamed.contains(id) ? renamed[id] : id; }, graph_);
    for (const auto& [what, number] : numbers) {
      Operation operation;
      operation.kind = Kind::dimension;
      operation.args = {graph_.symbol(what.first)};
      operation.number = what.second;
      operation.results = {number};
      node.region->operations.push_back(std::move(operation));
    }
    return true;
  }

  void replace_extents(Region& region, const Node& node, const std::set<Id>& wanted,
                       std::map<std::pair<Id, int64_t>, Id>& numbers, std::map<Id, Id>& renamed) {
    if (&region == node.region) return;
    auto& operations = region.operations;
    for (size_t i = 0; i < operations.size(); ++i) {
      Operation& operation = operations[i];
      for (Region& inner : operation.regions) replace_extents(inner, node, wanted, numbers, renamed);
      if (operation.kind != Kind::dimension || !is_symbol(operation.args[0])) continue;
      const Id of = id_of(operation.args[0]);
      if (!wanted.contains(of)) continue;
      Id& number = numbers[{of, operation.number}];
      if (number == 0) number = graph_.add(Type{Dtype::i64, {}});
      renamed[operation.results[0]] = number;
      operations.erase(operations.begin() + static_cast<std::ptrdiff_t>(i--));
    }
  }

  // --- one region's values ---

  void out_of_branch(const Node& node, const std::vector<Id>& ids) {
    Operation& branch = operation_of(node);
    std::map<Id, Id> outside;
    for (const Id id : ids) {
      outside[id] = graph_.add_like(id);
      branch.results.push_back(outside[id]);
      for (Region& path : branch.regions) {
        if (&path == node.region) {
          path.results.push_back(graph_.symbol(id));
          continue;
        }
        Operation nothing;
        nothing.kind = Kind::undefined;
        nothing.results = {graph_.add_like(id)};
        path.results.push_back(graph_.symbol(nothing.results[0]));
        path.operations.push_back(std::move(nothing));
      }
    }
    rename_outside(graph_.body, *node.region, outside);
  }

  void rename_outside(Region& region, const Region& inside, const std::map<Id, Id>& names) {
    const auto renamed = [&](Value& value) {
      value = replace_symbols(value, [&](const Value& symbol) {
        const auto name = names.find(id_of(symbol));
        return name == names.end() ? symbol : graph_.symbol(name->second);
      });
    };
    for (Operation& operation : region.operations) {
      for (Value& arg : operation.args) renamed(arg);
      for (Value& arg : operation.rest) renamed(arg);
      // The branch's own paths: one makes the values, the other does not see them.
      const bool owns = std::any_of(operation.regions.begin(), operation.regions.end(),
                                    [&](const Region& inner) { return &inner == &inside; });
      if (owns) continue;
      for (Region& inner : operation.regions) rename_outside(inner, inside, names);
    }
    for (Value& result : region.results) renamed(result);
  }

  uint32_t place_of(const Node& node, Id id) const {
    for (const Operation& operation : node.region->operations) {
      if (std::find(operation.results.begin(), operation.results.end(), id) != operation.results.end())
        return operation.place;
    }
    return operation_of(node).place;
  }

  // A walk back through the iterations of a loop: the regions that belong to it, and what they name of its body.
  struct WalkBack {
    uint32_t through = 0, sweep = 0;  // Region::adjoint_of and sweep of its regions
    auto operator<=>(const WalkBack&) const = default;
  };

  // The region of the program that a region goes back through, or forth again; and whether it goes back.
  std::pair<uint32_t, bool> forward_of(const Region& region) const {
    uint32_t serial = region.serial;
    bool back = false;
    for (uint32_t of = region.adjoint_of; of != 0; back = !back) {
      serial = of;
      of = regions_.at(of)->adjoint_of;
    }
    return {serial, back};
  }

  // The loops around a region, by their bodies' places in nodes_. Iterations that were peeled off a loop contain the
  // rest of it: they do not count there.
  std::vector<int> loops_around(int at) const {
    std::vector<int> loops;
    const auto is_peeled = [&](const Region& region) {
      return region.adjoint_of != 0 && std::ranges::any_of(loops, [&](int inner) {
               const Region& rest = *nodes_[inner].region;
               return rest.adjoint_of == region.adjoint_of && rest.sweep == region.sweep;
             });
    };
    for (; at >= 0; at = nodes_[at].parent) {
      const Region& region = *nodes_[at].region;
      if ((region.serial == 0 && region.adjoint_of == 0) || is_peeled(region)) continue;
      const Kind kind = operation_of(nodes_[node_of_.at(regions_.at(forward_of(region).first))]).kind;
      if (kind != Kind::if_) loops.push_back(at);
    }
    std::ranges::reverse(loops);
    return loops;
  }

  // Whether the later region runs through all iterations of the earlier one, those of loops around both left out, the
  // last one first. What the earlier one puts on a stack comes off it in the right order then.
  bool reverses(int earlier, int later) const {
    if (later <= earlier) return false;
    std::vector<int> first = loops_around(earlier), second = loops_around(later);
    const auto [a, b] = std::ranges::mismatch(first, second);
    first.erase(first.begin(), a);
    second.erase(second.begin(), b);
    return !first.empty() && std::ranges::equal(first, second, [&](int x, int y) {
      const auto [forward, back] = forward_of(*nodes_[x].region);
      const auto [same, other] = forward_of(*nodes_[y].region);
      return forward == same && back != other;
    });
  }

  static constexpr unsigned max_relays = 3;  // one after the other

  // Finds, for a use in `region`, the region that this one goes back through, or else the last before it, or else the
  // first of a few, one after the other.
  const Region* relay_between(int made, int use, const Region& region, unsigned relays_left = max_relays) const {
    if (const Region* const one = one_relay_between(made, use, region)) return one;
    for (int at = use - 1; at > made && relays_left > 1; --at) {
      if (is_of(*nodes_[at].region, region) && reverses(made, at) &&
          relay_between(at, use, region, relays_left - 1) != nullptr)
        return nodes_[at].region;
    }
    return nullptr;
  }
  bool is_of(const Region& relay, const Region& region) const {
    return relay.adjoint_of != 0 && forward_of(relay).first == forward_of(region).first;
  }
  const Region* one_relay_between(int made, int use, const Region& region) const {
    const auto relays = [&](int at) {
      return is_of(*nodes_[at].region, region) && reverses(made, at) && reverses(at, use);
    };
    const int through = node_of_.at(regions_.at(region.adjoint_of));
    if (through > made && relays(through)) return nodes_[through].region;
    for (int at = use - 1; at > made; --at) {
      if (relays(at)) return nodes_[at].region;
    }
    return nullptr;
  }

  // The walk that takes a value of `node` off its stack, for a use of it: the one that the use stands in, if that runs
  // through the iterations the other way round. Else another one does between the two; `relayed_to`: the region of the
  // use, which gets it from there.
  struct Way {
    WalkBack walk;
    const Region* relayed_to = nullptr;
  };
  Way way_to(const Node& node, int use) const {
    const int made = node_of_.at(node.region);
    const uint32_t forward = forward_of(*node.region).first;
    for (; use >= 0; use = nodes_[use].parent) {
      const Region* region = nodes_[use].region;
      if (region->adjoint_of == 0 || forward_of(*region).first != forward) continue;
      if (reverses(made, use)) return {{region->adjoint_of, region->sweep}};
      const Region* const relay = relay_between(made, use, *region);
      if (relay != nullptr) return {{relay->adjoint_of, relay->sweep}, region};
    }
    throw std::logic_error("a value of a loop that nothing goes back through");
  }

  void onto_stacks(const Node& node, const std::vector<Id>& ids) {
    if (node.region->serial == 0) throw std::logic_error("a value of a loop that nothing goes back through");
    struct Wanted {
      std::set<Id> ids;
      std::set<const Region*> relayed_to;
    };
    std::map<WalkBack, Wanted> walks;
    for (const Id id : ids) {
      for (const int use : foreign_.at(id)) {
        const Way way = way_to(node, use);
        Wanted& wanted = walks[way.walk];
        wanted.ids.insert(id);
        if (way.relayed_to != nullptr) wanted.relayed_to.insert(way.relayed_to);
      }
    }
    for (const auto& [walk, wanted] : walks)
      onto_stacks(node, {wanted.ids.begin(), wanted.ids.end()}, walk, wanted.relayed_to);
  }

  void onto_stacks(const Node& node, const std::vector<Id>& ids, const WalkBack& walk,
                   const std::set<const Region*>& relayed_to) {
    std::vector<AdjointPass> adjoints = adjoints_of(graph_, walk.through, walk.sweep);
    // An iteration that was peeled off a loop around both has a pair of its own.
    const int made = node_of_.at(node.region);
    std::erase_if(adjoints, [&](const AdjointPass& adjoint) { return !reverses(made, node_of_.at(adjoint.region)); });
    if (!relayed_to.empty() && adjoints.size() != 1) throw std::logic_error("a relay of which there are two");
    if (adjoints.empty()) throw std::logic_error("a value of a loop that nothing goes back through");
    const bool index_known =
        std::ranges::all_of(adjoints, [](const AdjointPass& adjoint) { return adjoint.count.has_value(); });
    const ComputedAgain::Stays stays = [&](Id id) { return stays_for(id, adjoints); };
    const ComputedAgain again(graph_, operation_of(node), *node.region, ids, index_known, stays);
    std::map<Id, uint32_t> stacks;
    for (const Id id : ids) {
      if (again.contains(id)) continue;
      stacks[id] = graph_.stacks++;
      push(node, id, stacks[id]);
    }
    for (const AdjointPass& adjoint : adjoints) bring(adjoint, stacks, again, relayed_to);
  }

  void push(const Node& node, Id id, uint32_t stack) {
    Operation push;
    push.kind = Kind::push;
    push.args = {graph_.symbol(id)};
    push.number = stack;
    push.place = place_of(node, id);  // where there is no memory for it
    node.region->operations.push_back(std::move(push));
  }

  // A tensor that adjoints see by themselves, and that nothing takes over to change it.
  bool stays_for(Id id, const std::vector<AdjointPass>& adjoints) {
    const auto definition = defined_.find(id);
    if (graph_.values[id].boxed || taken_over_.contains(id) || definition == defined_.end()) return false;
    return std::ranges::all_of(
        adjoints, [&](const AdjointPass& adjoint) { return visible(definition->second, node_of_.at(adjoint.region)); });
  }

  // At the head of every adjoint region of the loop's body.
  void bring(const AdjointPass& adjoint, const std::map<Id, uint32_t>& stacks, const ComputedAgain& again,
             const std::set<const Region*>& relayed_to) {
    std::map<Id, Id> names;
    std::vector<Operation> head;
    for (const auto& [id, stack] : stacks) {
      Operation pop;
      pop.kind = Kind::pop;
      pop.number = stack;
      pop.results = {graph_.add_like(id)};
      names[id] = pop.results[0];
      head.push_back(std::move(pop));
    }
    again.append(adjoint, names, head);
    Region& region = *adjoint.region;
    rename_in(region, names);
    region.operations.insert(region.operations.begin(), head.begin(), head.end());
    hand_on(graph_.body, names, relayed_to);
  }

  // Regions that the adjoint relays values to name its own ones from now on.
  void hand_on(Region& region, const std::map<Id, Id>& names, const std::set<const Region*>& relayed_to) {
    for (Operation& operation : region.operations) {
      for (Region& inner : operation.regions) hand_on(inner, names, relayed_to);
    }
    if (relayed_to.contains(&region)) rename_in(region, names);
  }

  void rename_in(Region& region, const std::map<Id, Id>& names) {
    const auto renamed = [&](Id id) {
      const auto name = names.find(id);
      return name == names.end() ? id : name->second;
    };
    rename(region, renamed, graph_);
  }

  Graph& graph_;
  std::vector<Node> nodes_;
  std::unordered_map<Id, int> defined_;
  std::map<Id, std::set<int>> foreign_;
  std::unordered_set<Id> taken_over_;  // tensors that may be changed in place
  std::set<Id> brought_out_;
  std::map<uint32_t, const Region*> regions_;  // by serial
  std::unordered_map<const Region*, int> node_of_;
};

}  // namespace

void residuals(Graph& graph) {
  segments(graph);
  Residuals(graph).run();
}

}  // namespace covec::passes
