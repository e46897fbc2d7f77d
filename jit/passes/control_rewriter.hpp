// Rewrites branches and loops during the walk of a Rewriter. A branch that is known to be taken, and a loop that runs
// never or once, becomes part of the code around it. A result that does not depend on the path, and a value that a loop
// carries unchanged, is replaced by the value before it; a number that each iteration counts up is known. Inside a
// branch, its condition is a constant.
#pragma once

#include "jit/passes/analysis/evaluate.hpp"
#include "jit/passes/analysis/graph_edits.hpp"
#include "jit/passes/analysis/known_values.hpp"

namespace covec::passes {

class Rewriter;

class ControlRewriter {
 public:
  ControlRewriter(ir::Graph& graph, Rewriter& walk, KnownValues& values, GraphEdits& edits, Evaluator& evaluator)
      : graph_(graph), walk_(walk), values_(values), edits_(edits), evaluator_(evaluator) {}
  void branch(ir::Operation& operation);
  void loop(ir::Operation& operation);
  Value on_paths(const ir::Operation& branch, ir::Id result, const ir::Operation& like, size_t operand);

 private:
  void replace_result(ir::Operation& operation, size_t result, Value by);
  void take_branch(ir::Operation& operation);
  void path(ir::Operation& operation, unsigned which);
  void join_results(ir::Operation& operation);
  void join_extents(const ir::Operation& operation, size_t result);
  Value joined(ir::Operation& operation, size_t result);
  bool loop_goes(ir::Operation& operation);
  void splice(ir::Operation& operation, ir::Region& region, const std::vector<ir::Id>& parameters);
  void unchanged_values(ir::Operation& operation);
  void unchanged_extents(ir::Operation& operation, std::vector<Shape>& shapes);
  void use_extents(ir::Operation& operation, const std::vector<Shape>& shapes);
  Value given_by_any_iteration(ir::Operation& operation, size_t k);
  Value counted(const ir::Operation& operation, size_t k);
  void loop_results(ir::Operation& operation);

  ir::Graph& graph_;
  Rewriter& walk_;
  KnownValues& values_;
  GraphEdits& edits_;
  Evaluator& evaluator_;
};

}  // namespace covec::passes
