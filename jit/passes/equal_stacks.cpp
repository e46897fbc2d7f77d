// Merges stacks of numbers that always hold the same: where several get the same value in the same regions, and give it
// in the same regions, once in each, one does. Staging keeps a value once for each use of it in a reverse sweep, and
// derivatives of derivatives have many such uses.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "jit/passes/passes.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::passes {

using namespace ir;

namespace {

// A region where a stack is used, and the value that is put there; taken from it: none.
using Uses = std::vector<std::pair<const Region*, Id>>;

class EqualStacks {
 public:
  explicit EqualStacks(Graph& graph) : graph_(graph), stacks_(graph.stacks) {}

  bool run() {
    if (stacks_.size() < 2 || graph_.shares_stacks()) return false;
    find(graph_.body);
    std::map<std::pair<Uses, Dtype>, int64_t> first;
    bool any = false;
    for (size_t k = 0; k < stacks_.size(); ++k) {
      Stack& stack = stacks_[k];
      if (!stack.plain || stack.uses.empty()) continue;
      stack.first = first.try_emplace({stack.uses, stack.dtype}, static_cast<int64_t>(k)).first->second;
      any |= is_further(static_cast<int64_t>(k));
    }
    if (!any) return false;
    rewrite(graph_.body);
    for (DimExpression& dim : graph_.dims) {
      const bool of_value = dim.kind == DimExpression::Kind::axis_of || dim.kind == DimExpression::Kind::number;
      const auto found = of_value ? names_.find(dim.value) : names_.end();
      if (found != names_.end()) dim.value = found->second;
    }
    return true;
  }

 private:
  struct Stack {
    bool plain = true;  // of numbers, and used once in a region
    Uses uses;
    Dtype dtype = Dtype::f64;
    int64_t first = -1;  // of those that hold the same
  };
  static constexpr Id taken = UINT32_MAX;

  void find(const Region& region) {
    for (const Operation& operation : region.operations) {
      if (operation.kind == Kind::push) note(operation, region, operation.args[0]);
      if (operation.kind == Kind::pop) note(operation, region, graph_.symbol(operation.results[0]));
      for (const Region& inner : operation.regions) find(inner);
    }
  }
  void note(const Operation& operation, const Region& region, const Value& value) {
    Stack& stack = stacks_[static_cast<size_t>(operation.number)];
    const bool number =
        is_symbol(value) && !graph_.values[id_of(value)].boxed && graph_.values[id_of(value)].type.shape.empty();
    const bool again = std::ranges::any_of(stack.uses, [&](const auto& use) { return use.first == &region; });
    stack.plain = stack.plain && number && !again;
    if (!stack.plain) return;
    stack.uses.emplace_back(&region, operation.kind == Kind::pop ? taken : id_of(value));
    stack.dtype = graph_.values[id_of(value)].type.dtype;
  }
  bool is_further(int64_t number) const {
    const int64_t first = stacks_[static_cast<size_t>(number)].first;
    return first >= 0 && first != number;
  }

  // The first to be taken from in a region gives what all of them would.
  void rewrite(Region& region) {
    std::unordered_map<int64_t, Id> given;
    std::erase_if(region.operations, [&](Operation& operation) {
      rename(operation.args);
      rename(operation.rest);
      for (Region& inner : operation.regions) rewrite(inner);
      if (operation.kind == Kind::push) return is_further(operation.number);
      if (operation.kind != Kind::pop || stacks_[static_cast<size_t>(operation.number)].first < 0) return false;
      operation.number = stacks_[static_cast<size_t>(operation.number)].first;
      const auto [known, is_new] = given.try_emplace(operation.number, operation.results[0]);
      if (!is_new) names_[operation.results[0]] = known->second;
      return !is_new;
    });
    rename(region.results);
  }
  void rename(std::vector<Value>& values) const {
    for (Value& value : values) {
      if (names_.empty() || !has_symbols(value)) continue;
      value = replace_symbols(value, [&](const Value& symbol) {
        const auto found = names_.find(id_of(symbol));
        return found == names_.end() ? symbol : graph_.symbol(found->second);
      });
    }
  }

  Graph& graph_;
  std::vector<Stack> stacks_;
  std::unordered_map<Id, Id> names_;  // what is taken from further stacks: from the first
};

}  // namespace

bool equal_stacks(Graph& graph) { return EqualStacks(graph).run(); }

}  // namespace covec::passes
