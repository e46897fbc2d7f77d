// Chooses which values of a graph become numbers (scalarize.cpp). Connected values become numbers all together or not
// at all (analysis/scalar_sets.hpp). Start at ScalarChoice::make().
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "jit/passes/analysis/index_choice.hpp"
#include "jit/passes/analysis/scalar_recipe.hpp"
#include "jit/passes/analysis/scalar_sets.hpp"

namespace covec::passes {

template <class F>
void each_operand_of(const ir::Operation& operation, const F& f) {
  for (const Value& value : operation.args) f(value);
  for (const Value& value : operation.rest) f(value);
}

class ScalarChoice {
 public:
  explicit ScalarChoice(ir::Graph& graph) : graph_(graph), sets_(graph.values.size()), stacks_(graph.stacks) {}

  // Once, before all else.
  void make();
  bool nothing() const { return recipes_.empty() && changes_.empty() && choices_.empty(); }
  bool chosen(ir::Id id) const { return sets_.chosen(id); }
  bool chosen(const Value& value) const { return ir::is_symbol(value) && chosen(ir::id_of(value)); }
  bool wanted_whole(ir::Id id) const { return whole_[id]; }
  const Recipe* recipe(const ir::Operation& operation) const;
  // How an operation that sets or adds to elements of a larger tensor does so, one by one.
  const Recipe* change(const ir::Operation& operation) const;
  // How an operation of numbers at an index that only the run knows chooses among them.
  const IndexChoice* index(const ir::Operation& operation) const;
  // The stack of a push or pop holds numbers.
  bool stack_goes(const ir::Operation& operation) const;

 private:
  struct Made {
    Recipe recipe;
    ir::Id result;
    std::optional<ir::Id> of;  // a tensor that it reads, where the result is a number
  };
  struct Stack {
    bool fits = true;
    std::vector<Value> pushed;
    std::vector<ir::Id> popped;
  };

  // --- candidates ---

  bool small(ir::Id id) const;
  bool alike(const Value& value, ir::Id id) const;

  void find(ir::Region& region, const ir::Operation* loop);
  void find_made(const ir::Operation& operation, const ir::Operation* loop);
  void find_index(const ir::Operation& operation, const ir::Operation* loop);
  void find_carried(const ir::Operation& operation);
  void find_joined(const ir::Operation& operation);
  void find_given(const ir::Operation& pause);
  void find_stack(const ir::Operation& operation);
  void join_stacks();

  // --- what is gained ---

  void weigh(ir::Region& region, double times);
  void weigh_carried(const ir::Operation& loop, double times);
  void weigh_whole(const Value& value, double times);
  ir::Id at(const Made& made) const { return sets_[made.result].candidate ? made.result : *made.of; }
  void weigh(const Made& made, const ir::Region& region, double times);
  void weigh_change(const ir::Operation& operation, const Recipe& recipe, double times);
  void weigh_index(const ir::Operation& operation, const IndexChoice& index, double times);
  bool goes(const Made& made) const;
  bool goes_by_elements(const Recipe& change) const;
  bool goes_by_choice(const ir::Operation& operation, const IndexChoice& index) const;

  ir::Graph& graph_;
  Evaluator evaluator_;
  ScalarSets sets_;
  std::vector<Stack> stacks_;
  std::unordered_map<const ir::Operation*, Made> recipes_;
  std::unordered_map<const ir::Operation*, Recipe> changes_;
  std::unordered_map<const ir::Operation*, IndexChoice> choices_;
  std::vector<bool> whole_;  // wanted as tensors, too
};

}  // namespace covec::passes
