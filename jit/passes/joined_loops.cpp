// Joins a loop that only keeps values for its reverse with the reverse loop. The gradient of `for i { s += f(i) }`
// needs no sum, so nothing is left of the loop but what its iterations push:
//
//   for n { …; push }   …   back n { pop; adjoint }      becomes    back n { …; adjoint }
//
// Iterations do not depend on each other then, so each may run where the reverse loop comes to it. Stacks hold the
// values of one iteration instead of all, and what an iteration pushed once is a value.
//
// Three things have to hold. Nothing else uses the loop's stacks. No operation of the loop fails, as another iteration
// would fail first: elements are read at indices of loops over these extents only. And nothing changes what it reads
// before the reverse loop, as that would have to be copied.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "jit/passes/analysis/computed_again.hpp"
#include "jit/passes/analysis/operation_writer.hpp"
#include "jit/passes/passes.hpp"

namespace covec::passes {

using namespace ir;

namespace {

bool is_plain_loop(const Operation& operation) { return operation.kind == Kind::for_ && !operation.exits; }

// Regions' uses of stacks: how often each stands in the text.
struct StackUses {
  std::map<int64_t, unsigned> pushes, pops;
  explicit StackUses(const Region& region) { see(region); }

 private:
  void see(const Region& region) {
    for (const Operation& operation : region.operations) {
      if (operation.kind == Kind::push) ++pushes[operation.number];
      if (operation.kind == Kind::pop) ++pops[operation.number];
      for (const Region& inner : operation.regions) see(inner);
    }
  }
};

class JoinedLoops {
 public:
  explicit JoinedLoops(Graph& graph) : graph_(graph), uses_(graph.body) { note(graph.body); }

  bool run() {
    visit(graph_.body);
    return any_;
  }

 private:
  void note(const Region& region) {
    for (const Operation& operation : region.operations) {
      add_taken_over(operation, taken_);
      for (const Id id : operation.results) {
        if (operation.kind == Kind::dimension) extents_[id] = extent_of(operation);
      }
      for (const Region& inner : operation.regions) {
        if (operation.kind == Kind::for_) counts_[inner.parameters[0]] = operation.args[0];
        if (inner.adjoint_of != 0) ++adjoints_[inner.adjoint_of];
        note(inner);
      }
    }
  }
  Dim extent_of(const Operation& dimension) const {
    return type_in(graph_, dimension.args[0]).shape[static_cast<unsigned>(dimension.number)];
  }

  void visit(Region& region) {
    for (Operation& operation : region.operations) {
      for (Region& inner : operation.regions) visit(inner);
    }
    auto& all = region.operations;
    for (size_t at = 0; at < all.size(); ++at) {
      const auto back = std::find_if(all.begin() + static_cast<ptrdiff_t>(at), all.end(),
                                     [&](const Operation& later) { return joins(all[at], later); });
      if (back == all.end()) continue;
      join(all[at], *back);
      all.erase(all.begin() + static_cast<ptrdiff_t>(at--));
      any_ = true;
    }
  }

  bool joins(const Operation& loop, const Operation& back) const {
    if (!is_plain_loop(loop) || !is_plain_loop(back) || !loop.results.empty()) return false;
    const Region& body = loop.regions[0];
    if (body.serial == 0 || back.regions[0].adjoint_of != body.serial || adjoints_.at(body.serial) != 1) return false;
    return has_own_stacks(body, back.regions[0]) && may_run_later(body, {});
  }

  bool has_own_stacks(const Region& body, const Region& adjoint) const {
    const StackUses here(body), there(adjoint);
    const auto all_of = [&](const auto& some, const auto& all, int64_t stack) {
      const auto a = some.find(stack), b = all.find(stack);
      return (a == some.end() ? 0 : a->second) == (b == all.end() ? 0 : b->second);
    };
    return !here.pushes.empty() && here.pops.empty() && std::ranges::all_of(here.pushes, [&](const auto& push) {
      return all_of(here.pushes, uses_.pushes, push.first) && all_of(there.pops, uses_.pops, push.first);
    });
  }

  // `inside`: what is made in the loop so far.
  bool may_run_later(const Region& region, std::set<Id> inside) const {
    inside.insert(region.parameters.begin(), region.parameters.end());
    for (const Operation& operation : region.operations) {
      if (!is_harmless(operation, inside)) return false;
      for (const Region& inner : operation.regions) {
        if (!may_run_later(inner, inside)) return false;
      }
      inside.insert(operation.results.begin(), operation.results.end());
    }
    return true;
  }

  bool is_harmless(const Operation& operation, const std::set<Id>& inside) const {
    bool stays = true;
    const auto see = [&](const Value& value) {
      each_symbol(value, [&](Id id) {
        stays = stays && !graph_.values[id].boxed && (inside.contains(id) || is_number(id) || !taken_.contains(id));
      });
    };
    std::ranges::for_each(operation.args, see);
    std::ranges::for_each(operation.rest, see);
    if (!stays) return false;
    switch (operation.kind) {
      case Kind::dimension:
      case Kind::undefined:
      case Kind::push:
      case Kind::if_: return true;
      case Kind::for_: return !operation.exits;
      case Kind::apply: return !is_ordered(graph_, operation) || reads_what_is_there(operation);
      default: return false;
    }
  }
  bool is_number(Id id) const { return graph_.values[id].type.shape.empty(); }

  bool reads_what_is_there(const Operation& read) const {
    using Item = ops::IndexSpec::Item;
    if (read.entry != &ops::handles().index_read || !is_symbol(read.args[0])) return false;
    const ops::IndexSpec items(read.args[1].i64());
    const Shape& shape = graph_.values[id_of(read.args[0])].type.shape;
    size_t next = 0;
    for (unsigned axis = 0; axis < items.items(); ++axis) {
      const bool whole =
          items.item(axis) == Item::slice && !items.has_start(axis) && !items.has_stop(axis) && !items.has_step(axis);
      if (whole) continue;
      if (items.item(axis) != Item::at || axis >= shape.rank() || !is_within(read.rest[next++], shape[axis]))
        return false;
    }
    return true;
  }
  bool is_within(const Value& index, Dim extent) const {
    if (!is_symbol(index))
      return index.tag() == Tag::i64 && extent.known() && index.i64() >= 0 && index.i64() < extent.number();
    const auto count = counts_.find(id_of(index));
    if (count == counts_.end()) return false;
    if (!is_symbol(count->second)) return extent.known() && count->second.i64() <= extent.number();
    const auto known = extents_.find(id_of(count->second));
    return known != extents_.end() && known->second == extent;
  }

  // --- the iterations of the loop move into the reverse loop ---

  void join(Operation& loop, Operation& back) {
    Region &body = loop.regions[0], &adjoint = back.regions[0];
    std::vector<Operation> joined;
    const OperationWriter write(graph_, loop.place);
    const ops::Entry& subtract = ops::handles().subtract;
    const Value last = write.number(joined, subtract, {back.args[0], Value(int64_t{1})});
    write.number(joined, subtract, {last, graph_.symbol(adjoint.parameters[0])});
    joined.back().results = {body.parameters[0]};
    std::map<int64_t, Id> pushed;  // once in an iteration
    for (Operation& operation : body.operations) {
      if (operation.kind == Kind::push && is_symbol(operation.args[0]) && is_popped_once(adjoint, operation.number))
        pushed[operation.number] = id_of(operation.args[0]);
      else
        joined.push_back(std::move(operation));
    }
    hand_over(adjoint, pushed);
    adjoint.operations.insert(adjoint.operations.begin(), std::make_move_iterator(joined.begin()),
                              std::make_move_iterator(joined.end()));
  }

  bool is_popped_once(const Region& adjoint, int64_t stack) const {
    const auto pops = [&](const Operation& operation) {
      return operation.kind == Kind::pop && operation.number == stack;
    };
    return uses_.pushes.at(stack) == 1 && uses_.pops.contains(stack) && uses_.pops.at(stack) == 1 &&
           std::ranges::any_of(adjoint.operations, pops);
  }

  void hand_over(Region& adjoint, const std::map<int64_t, Id>& pushed) {
    std::map<Id, Id> names;
    std::erase_if(adjoint.operations, [&](const Operation& operation) {
      const auto found = operation.kind == Kind::pop ? pushed.find(operation.number) : pushed.end();
      if (found != pushed.end()) names[operation.results[0]] = found->second;
      return found != pushed.end();
    });
    const auto name = [&](Id id) {
      const auto found = names.find(id);
      return found == names.end() ? id : found->second;
    };
    rename(adjoint, name, graph_);
    for (DimExpression& dim : graph_.dims) {
      if (dim.kind == DimExpression::Kind::axis_of || dim.kind == DimExpression::Kind::number)
        dim.value = name(dim.value);
    }
  }

  Graph& graph_;
  const StackUses uses_;
  std::unordered_set<Id> taken_;
  std::map<Id, Dim> extents_;   // numbers that are extents
  std::map<Id, Value> counts_;  // of loops, by their indices
  std::map<uint32_t, unsigned> adjoints_;
  bool any_ = false;
};

}  // namespace

void joined_loops(Graph& graph) {
  if (graph.stacks == 0 || !JoinedLoops(graph).run()) return;
  cse(graph);
  licm(graph);
}

}  // namespace covec::passes
