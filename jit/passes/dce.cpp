// Removes dead code. An operation stays if it is due (it has an effect, or may fail) or if a result of it is used.
// Unused results of branches are removed with the operations that computed them. So are values that a loop carries only
// to compute themselves. An element is not out of range where its index has been used before, along an axis of the same
// extent.
#include <algorithm>
#include <compare>
#include <set>
#include <vector>

#include "jit/passes/analysis/failures.hpp"
#include "jit/passes/analysis/index_sums.hpp"
#include "jit/passes/passes.hpp"
#include "stdlib/ops/contract/handles.hpp"

namespace covec::passes {

using namespace ir;

namespace {

// Elements that are read or set, or added to, where an operation before has failed unless all their indices are in
// range.
class SafeElements {
 public:
  explicit SafeElements(const Graph& graph) : graph_(graph) { look(graph.body); }
  bool contains(const Operation& operation) const {
    return operation.results.size() == 1 && safe_.contains(operation.results[0]);
  }

 private:
  struct Use {
    bool is_symbol = false, is_known = false;  // the index; the extent
    int64_t index = 0, extent = 0;
    auto operator<=>(const Use&) const = default;
  };

  void look(const Region& region) {
    std::vector<Use> found;
    for (const Operation& operation : region.operations) {
      for (const Region& inner : operation.regions) look(inner);
      if (!is_element(operation)) continue;
      bool is_safe = true;
      const Shape& shape = graph_.values[id_of(operation.args[0])].type.shape;
      for (unsigned axis = 0; axis < shape.rank(); ++axis) {
        const Use use = use_of(operation.rest[axis], shape[axis]);
        if (!used_.insert(use).second) continue;
        is_safe = false;
        found.push_back(use);
      }
      if (is_safe) safe_.insert(operation.results[0]);
    }
    for (const Use& use : found) used_.erase(use);
  }
  bool is_element(const Operation& operation) const {
    if (operation.kind != Kind::apply) return false;
    if (operation.entry == &ops::handles().index_read) return names_element(graph_, operation, 1);
    if (operation.entry != &ops::handles().index_update && operation.entry != &ops::handles().index_add) return false;
    return names_element(graph_, operation, 2) &&
           is_number_of(graph_, operation.args[1], graph_.values[id_of(operation.args[0])].type.dtype);
  }
  static Use use_of(const Value& index, Dim extent) {
    Use use{.is_symbol = is_symbol(index), .is_known = extent.known()};
    use.index = use.is_symbol ? int64_t{id_of(index)} : index.i64();
    use.extent = use.is_known ? extent.number() : int64_t{extent.id()};
    return use;
  }

  const Graph& graph_;
  std::set<Use> used_;  // by operations that have run where the present one does
  std::set<Id> safe_;   // by their results
};

class Liveness {
 public:
  explicit Liveness(Graph& graph) : graph_(graph), safe_(graph) {}

  void run() {
    for (const Value& result : graph_.body.results) use(result);
    size_t before = 0;
    do {
      before = live_.size();
      visit(graph_.body);
    } while (live_.size() != before);
    sweep(graph_.body);
  }

 private:
  void use(const Value& value) {
    each_symbol(value, [&](Id id) { live_.insert(id); });
  }
  bool any_live(const Operation& operation) const {
    for (const Id id : operation.results) {
      if (live_.contains(id)) return true;
    }
    return false;
  }
  // A loop stays for what it carries out, for effects inside, and because it may never end.
  bool stays(const Operation& operation) const {
    if (any_live(operation)) return true;
    if (operation.kind == Kind::while_) return true;
    return is_due_inside(operation);
  }
  bool is_due_inside(const Operation& operation) const {
    if (operation.kind != Kind::for_ && operation.kind != Kind::if_)
      return is_due(graph_, operation) && !safe_.contains(operation);
    const auto stays = [&](const Operation& inner) { return is_due_inside(inner); };
    return operation.exits || std::ranges::any_of(operation.regions, [&](const Region& region) {
             return std::ranges::any_of(region.operations, stays);
           });
  }

  // Backwards: what lives makes its operands live.
  void visit(Region& region) {
    for (size_t i = region.operations.size(); i-- > 0;) {
      Operation& operation = region.operations[i];
      if (!stays(operation)) continue;
      if (is_loop(operation)) {
        visit_loop(operation);
      } else if (operation.kind == Kind::if_) {
        use(operation.args[0]);
        for (Region& path : operation.regions) {
          for (size_t k = 0; k < operation.results.size(); ++k) {
            if (live_.contains(operation.results[k])) use(path.results[k]);
          }
          visit(path);
        }
      } else {
        if (operation.kind == Kind::recursion) visit_function(operation.regions[0]);
        for (const Value& arg : operation.args) use(arg);
        for (const Value& arg : operation.rest) use(arg);
      }
    }
  }

  void visit_function(Region& function) {
    for (const Value& result : function.results) use(result);
    visit(function);
  }
  void visit_loop(Operation& operation) {
    const size_t first = leading(operation);
    for (size_t i = 0; i < first; ++i) use(operation.args[i]);
    Region& body = operation.regions.back();
    if (operation.kind == Kind::while_) {
      use(operation.regions[0].results[0]);
      visit(operation.regions[0]);
    }
    if (operation.exits) use(body.results.back());
    for (size_t k = 0; k < operation.results.size(); ++k) {
      const bool live = carried(operation, k);
      if (!live) continue;
      live_.insert(operation.results[k]);
      live_.insert(body.parameters[k + first]);
      if (operation.kind == Kind::while_) live_.insert(operation.regions[0].parameters[k]);
      use(operation.args[k + first]);
      use(body.results[k]);
    }
    visit(body);
  }
  bool carried(const Operation& operation, size_t k) const {
    const size_t first = leading(operation);
    if (live_.contains(operation.results[k]) || live_.contains(operation.regions.back().parameters[k + first]))
      return true;
    return operation.kind == Kind::while_ && live_.contains(operation.regions[0].parameters[k]);
  }

  void sweep(Region& region) {
    std::erase_if(region.operations, [&](const Operation& operation) { return !stays(operation); });
    for (Operation& operation : region.operations) {
      if (operation.kind == Kind::if_) drop_results(operation);
      if (is_loop(operation)) drop_carried(operation);
      for (Region& inner : operation.regions) sweep(inner);
    }
  }
  void drop_results(Operation& operation) {
    for (size_t k = operation.results.size(); k-- > 0;) {
      if (live_.contains(operation.results[k])) continue;
      erase(operation.results, k);
      for (Region& path : operation.regions) erase(path.results, k);
    }
  }
  void drop_carried(Operation& operation) {
    const size_t first = leading(operation);
    for (size_t k = operation.results.size(); k-- > 0;) {
      if (carried(operation, k)) continue;
      erase(operation.results, k);
      erase(operation.args, k + first);
      erase(operation.regions.back().parameters, k + first);
      erase(operation.regions.back().results, k);
      if (operation.kind == Kind::while_) erase(operation.regions[0].parameters, k);
    }
  }
  template <class T>
  static void erase(std::vector<T>& list, size_t at) {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
  }

  Graph& graph_;
  const SafeElements safe_;
  std::set<Id> live_;
};

}  // namespace

void dce(Graph& graph) { Liveness(graph).run(); }

}  // namespace covec::passes
