// Computes both sides of a short branch on numbers before the branch, so that `simplify` turns it into a choice. This
// is for functions compiled for a device: a device computes a choice, but a branch waits for its condition.
//
// Bits and errors are kept: the computed operations cannot fail and have no effect. The trade-off: the side that is not
// taken is computed too.
#include <algorithm>

#include "jit/passes/analysis/failures.hpp"
#include "jit/passes/analysis/graph_edits.hpp"
#include "jit/passes/passes.hpp"
#include "stdlib/ops/contract/entry.hpp"

namespace covec::passes {

using namespace ir;

namespace {

constexpr size_t short_way = 8;  // operations

class Speculating {
 public:
  explicit Speculating(Graph& graph) : graph_(graph) {}
  void run() {
    rebuild(graph_.body, [&](Operation& operation, std::vector<Operation>& out) {
      const auto short_way = [&](const Region& way) { return is_short(way); };
      if (operation.kind == Kind::if_ && std::ranges::all_of(operation.regions, short_way)) move_out(operation, out);
      return false;
    });
  }

 private:
  static void move_out(Operation& branch, std::vector<Operation>& out) {
    for (Region& way : branch.regions) {
      std::ranges::move(way.operations, std::back_inserter(out));
      way.operations.clear();
    }
  }

  bool is_short(const Region& way) const {
    return way.operations.size() <= short_way &&
           std::ranges::all_of(way.operations, [&](const Operation& operation) { return is_on_numbers(operation); });
  }

  bool is_on_numbers(const Operation& operation) const {
    if (operation.kind != Kind::apply || operation.entry->pointwise == nullptr) return false;
    bool numbers = is_number(operation.results[0]);
    for (const Value& operand : operation.args) each_symbol(operand, [&](Id id) { numbers &= is_number(id); });
    return numbers && operation.rest.empty() && !may_fail_or_acts(graph_, operation);
  }
  bool is_number(Id id) const { return !graph_.values[id].boxed && graph_.values[id].type.shape.empty(); }

  Graph& graph_;
};

}  // namespace

void speculate(Graph& graph) { Speculating(graph).run(); }

}  // namespace covec::passes
