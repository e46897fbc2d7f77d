// The induction variables of a loop: how far an integer moves from one iteration to the next. Only sums, differences
// and negations are followed, by at most one an iteration; an index that is made in another way has no known motion.
// Start at motion().
#pragma once

#include <optional>
#include <unordered_map>

#include "jit/ir/graph.hpp"

namespace covec::loops {

class Induction {
 public:
  // `loop`: a for_.
  Induction(const ir::Graph& graph, const ir::Operation& loop)
      : graph_(graph), number_(loop.regions[0].parameters[0]) {}
  // In the order of the region.
  void add(const ir::Operation& operation);

  // The operation of the loop that makes a value.
  const ir::Operation* made_by(const Value& value) const;
  bool is_iteration(const Value& value) const;          // its number
  std::optional<int> motion(const Value& value) const;  // −1, 0 or 1; nothing: in another way
  bool moves(ir::Id id) const { return motions_.contains(id); }
  // A number of the iteration and a constant that is added to it.
  struct Sum {
    Value value = {};  // none: the constant alone
    int64_t constant = 0;
  };
  Sum sum(const Value& value) const;

 private:
  void find_motion(const ir::Operation& operation);

  const ir::Graph& graph_;
  const ir::Id number_;  // of the iteration
  std::unordered_map<ir::Id, const ir::Operation*> made_by_;
  std::unordered_map<ir::Id, int> motions_;  // of integers that an iteration makes
};

}  // namespace covec::loops
