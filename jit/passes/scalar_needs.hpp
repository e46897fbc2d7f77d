// Finds the tensors that are wanted whole although the choice makes numbers of them: who uses them takes no numbers.
// scalarize.cpp builds these again. Start at find().
#pragma once

#include <utility>
#include <vector>

#include "jit/passes/scalar_choice.hpp"

namespace covec::passes {

class ScalarNeeds {
 public:
  ScalarNeeds(ir::Graph& graph, const ScalarChoice& choice)
      : graph_(graph), choice_(choice), whole_(graph.values.size()) {}
  // For each value whether it is wanted whole.
  std::vector<bool> find();

 private:
  void need_whole(const Value& value);
  void need_part(const ir::Operation& operation);
  void need(ir::Region& region);
  void carry(const Value& value, bool as_numbers);
  void need_carried(const ir::Operation& operation);
  void need_joined(const ir::Operation& operation);

  ir::Graph& graph_;
  const ScalarChoice& choice_;
  std::vector<bool> whole_;
};

}  // namespace covec::passes
