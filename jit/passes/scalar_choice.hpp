// Chooses which values of a graph become numbers (scalarize.cpp). Connected values become numbers all together or not
// at all. A union-find structure joins the candidates and adds up gains and costs at each set's leader. Start at
// ScalarChoice::make().
#pragma once

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "jit/passes/analysis/scalar_recipe.hpp"

namespace covec::passes {

template <class F>
void each_operand_of(const ir::Operation& operation, const F& f) {
  for (const Value& value : operation.args) f(value);
  for (const Value& value : operation.rest) f(value);
}

class ScalarChoice {
 public:
  explicit ScalarChoice(ir::Graph& graph) : graph_(graph), nodes_(graph.values.size()), stacks_(graph.stacks) {
    for (ir::Id id = 0; id < nodes_.size(); ++id) nodes_[id].leader = id;
  }

  // Once, before all else.
  void make();
  bool nothing() const { return recipes_.empty() && changes_.empty(); }
  bool chosen(ir::Id id) const { return id < nodes_.size() && nodes_[id].chosen; }
  bool chosen(const Value& value) const { return ir::is_symbol(value) && chosen(ir::id_of(value)); }
  bool wanted_whole(ir::Id id) const { return whole_[id]; }
  const Recipe* recipe(const ir::Operation& operation) const;
  // How an operation that sets or adds to elements of a larger tensor does so, one by one.
  const Recipe* change(const ir::Operation& operation) const;
  // The stack of a push or pop holds numbers.
  bool stack_goes(const ir::Operation& operation) const;

 private:
  struct Node {
    ir::Id leader = 0;
    bool candidate = false;
    bool chosen = false;
    bool pointwise = false;
    const ir::Region* kernel = nullptr;  // where a kernel reads it, which others that do so become part of
    bool conditional = false;            // no value on some path, where it is not a candidate
    double gain = 0, instructions = 0;   // of a leader: all that hang together
  };
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

  void find(ir::Region& region, bool in_loop);
  void find_made(const ir::Operation& operation, bool in_loop);
  void find_carried(const ir::Operation& operation);
  void find_joined(const ir::Operation& operation);
  void find_given(const ir::Operation& pause);
  void find_stack(const ir::Operation& operation);
  void join_stacks();
  // Values that are one thing; `others` may be tensors from elsewhere.
  void candidates(const std::vector<ir::Id>& own, const std::vector<Value>& others);

  // --- what is gained ---

  ir::Id leader_of(ir::Id id);
  void link(ir::Id a, ir::Id b);
  void add(ir::Id id, double gain, double instructions = 0) { gains_.push_back({id, gain, instructions}); }

  void weigh(ir::Region& region, double times);
  void weigh_carried(const ir::Operation& loop, double times);
  void weigh_whole(const Value& value, double times);
  ir::Id at(const Made& made) const { return nodes_[made.result].candidate ? made.result : *made.of; }
  void weigh(const Made& made, const ir::Region& region, double times);
  void weigh_change(const ir::Operation& operation, const Recipe& recipe, double times);
  bool is_profitable(ir::Id leader) const;
  bool goes(const Made& made) const;
  bool goes_by_elements(const Recipe& change) const;

  struct Gain {
    ir::Id id;
    double gain, instructions;
  };

  ir::Graph& graph_;
  Evaluator evaluator_;
  std::vector<Node> nodes_;
  std::vector<Stack> stacks_;
  std::unordered_map<const ir::Operation*, Made> recipes_;
  std::unordered_map<const ir::Operation*, Recipe> changes_;
  std::vector<std::pair<ir::Id, ir::Id>> linked_;
  std::vector<Gain> gains_;
  std::vector<bool> whole_;  // wanted as tensors, too
};

}  // namespace covec::passes
