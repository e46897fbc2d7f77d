// Skips loops that have nothing to do. The reverse of `if s < least { least = s }` knows only when it runs which values
// have a cotangent. So a reverse loop may do all its work under a flag that does not change while it runs:
//
//   for … { …; if c { add to elements } else { all stays } }      becomes    if c { for … { …; add to elements } }
//
// Only a loop is taken of which nothing is left where the flag does not hold: every carried value is handed on as it
// was, and no operation has an effect. In reverse loops that holds of reading an element, too: it cannot fail, since
// the forward loop has been at the same index. Inner loops come first, so that a nest of loops is skipped from the
// outermost one on that has nothing else to do.
//
// This is loop unswitching (Allen and Cocke, "A catalogue of optimizing transformations", 1972) without its cost: one
// of the two versions is empty.
#include <algorithm>
#include <set>

#include "jit/passes/analysis/graph_edits.hpp"
#include "jit/passes/passes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/elementwise/operator.hpp"

namespace covec::passes {

using namespace ir;

namespace {

bool is_same(const Value& value, Id id) { return is_symbol(value) && id_of(value) == id; }

class IdleLoops {
 public:
  explicit IdleLoops(Graph& graph) : graph_(graph) {}

  // Whether there are any.
  bool run() {
    rebuild(graph_.body, [&](Operation& loop, std::vector<Operation>& out) { return skip(loop, out); });
    return any_;
  }

 private:
  bool skip(Operation& loop, std::vector<Operation>& out) {
    if (loop.kind != Kind::for_ || loop.exits || loop.regions[0].adjoint_of == 0) return false;
    const Region& body = loop.regions[0];
    std::set<Id> inside(body.parameters.begin(), body.parameters.end());
    for (const Operation& operation : body.operations)
      inside.insert(operation.results.begin(), operation.results.end());
    std::set<Id> tried;
    for (const Operation& operation : body.operations) {
      const bool asks = operation.kind == Kind::if_ && is_symbol(operation.args[0]);
      if (!asks || inside.contains(id_of(operation.args[0])) || !tried.insert(id_of(operation.args[0])).second)
        continue;
      if (!is_idle_without(body, id_of(operation.args[0]))) continue;
      out.push_back(only_where(id_of(operation.args[0]), std::move(loop)));
      return any_ = true;
    }
    return false;
  }

  bool is_idle_without(const Region& body, Id flag) const {
    for (const Operation& operation : body.operations) {
      const bool is_read = operation.kind == Kind::apply && operation.entry == &ops::handles().index_read;
      if (operation.kind == Kind::if_ && is_same(operation.args[0], flag)) {
        if (std::ranges::any_of(operation.regions[1].operations, [&](const Operation& inner) { return acts(inner); }))
          return false;
      } else if (!is_read && acts(operation)) {
        return false;
      }
    }
    for (size_t k = 0; k < body.results.size(); ++k) {
      if (!is_same(without(body, flag, body.results[k]), body.parameters[k + 1])) return false;
    }
    return true;
  }
  bool acts(const Operation& operation) const { return !operation.regions.empty() || is_ordered(graph_, operation); }

  // What a value is where the flag does not hold, as far as is known.
  static Value without(const Region& body, Id flag, Value value) {
    for (size_t at = body.operations.size(); at-- > 0;) {
      const Operation& made = body.operations[at];
      const auto found = is_symbol(value) ? std::ranges::find(made.results, id_of(value)) : made.results.end();
      if (found == made.results.end()) continue;
      if (made.kind == Kind::if_ && is_same(made.args[0], flag)) {
        value = made.regions[1].results[static_cast<size_t>(found - made.results.begin())];
      } else if (made.kind == Kind::apply && made.entry == &ops::handles().bit_or) {
        const size_t at_flag = is_same(made.args[0], flag) ? 0 : 1;
        if (!is_same(made.args[at_flag], flag)) break;
        value = made.args[1 - at_flag];
      } else if (made.kind == Kind::apply && made.entry == &ops::handles().where && is_same(made.args[0], flag)) {
        value = made.args[2];
      } else {
        break;
      }
    }
    return value;
  }

  Operation only_where(Id flag, Operation loop) {
    Operation choice;
    choice.kind = Kind::if_;
    choice.place = loop.place;
    choice.args = {graph_.symbol(flag)};
    choice.results = loop.results;
    choice.regions.resize(2);
    choice.regions[1].results.assign(loop.args.begin() + 1, loop.args.end());
    for (Id& id : loop.results) {
      id = graph_.add_like(id);
      choice.regions[0].results.push_back(graph_.symbol(id));
    }
    hold(loop.regions[0], flag);
    choice.regions[0].operations.push_back(std::move(loop));
    return choice;
  }

  // The flag is known there.
  static void hold(Region& region, Id flag) {
    const auto known = [&](Value& value) {
      value = replace_symbols(value, [&](const Value& symbol) { return id_of(symbol) == flag ? Value(true) : symbol; });
    };
    for (Operation& operation : region.operations) {
      std::ranges::for_each(operation.args, known);
      std::ranges::for_each(operation.rest, known);
      for (Region& inner : operation.regions) hold(inner, flag);
    }
    std::ranges::for_each(region.results, known);
  }

  Graph& graph_;
  bool any_ = false;
};

}  // namespace

void idle_loops(Graph& graph) {
  if (!IdleLoops(graph).run()) return;
  fold(graph);
  simplify(graph);
  licm(graph);
}

}  // namespace covec::passes
