// Rewrites a graph in one walk. The walk takes every operation in program order, with its operands already simplified,
// through a table of rules. Later operations see what a rule has found out, so one walk settles most chains. The
// pipeline repeats the pass for facts that travel around a loop.
//
// Operations keep their addresses while the walk lasts (rules may point at them). A removed operation becomes a
// tombstone, and all regions are tidied up at the end. A branch that is known to be taken is walked as part of the code
// around it.
//
// Start at run(), then Rewriter::operation. Rules are in fold.cpp and simplify*.cpp; branches and loops are in
// control_rewriter.hpp.
#pragma once

#include "jit/passes/analysis/evaluate.hpp"
#include "jit/passes/analysis/graph_edits.hpp"
#include "jit/passes/analysis/known_values.hpp"
#include "jit/passes/control_rewriter.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::passes {

class Rewriter {
 public:
  // What becomes of an operation: true when it has changed (it is asked again) or has gone.
  using Rule = bool (*)(Rewriter&, ir::Operation&);

  Rewriter(ir::Graph& graph, Rule apply_rule);
  void run();

  // --- what rules ask ---
  ir::Graph& graph() { return graph_; }
  Extents& extents() { return values_.extents(); }
  Evaluator& evaluator() { return evaluator_; }
  const KnownValues& values() const { return values_; }
  bool visible(const Value& value) const { return values_.visible(value); }
  const ir::Operation* maker(const Value& value) const { return values_.maker(value); }
  const ir::Operation* maker(const Value& value, const ops::Entry& entry) const { return values_.maker(value, entry); }
  bool is_boxed(const Value& value) const { return values_.is_boxed(value); }
  Type type(const Value& value) const { return values_.type(value); }
  bool same_type(const Value& a, const Value& b) { return values_.same_type(a, b); }
  Value filling(const Value& value) const { return values_.filling(value); }

  // --- what rules do ---
  bool replace(ir::Operation& operation, Value by);  // its only result is `by`; always true
  // A new operation of one result just before `operation`.
  Value insert(const ir::Operation& before, const ops::Entry& entry, std::vector<Value> args, const Type& type);
  // One more result of a branch: what the operation `like` makes of its result in the place of an operand, done on each
  // path. Unbound where neither path's result is a constant.
  Value on_paths(const ir::Operation& branch, ir::Id result, const ir::Operation& like, size_t operand) {
    return control_.on_paths(branch, result, like, operand);
  }

  // --- the walk ---
  void region(ir::Region& region, FunctionRef<void()> at_end = {});
  void body(ir::Region& region);  // in the scope that is open

 private:
  struct Stack {
    unsigned pushes = 0;
    bool popped = false;  // by an operation that stays
    Value pushed;
    Shape shape;
  };
  void operation(ir::Operation& operation);
  void infer(const ir::Operation& operation);
  void learn(const ir::Operation& operation);
  bool through_stack(ir::Operation& operation);
  Stack& stack_of(const ir::Operation& operation) { return stacks_[static_cast<size_t>(operation.number)]; }

  ir::Graph& graph_;
  const Rule rule_;
  KnownValues values_;
  GraphEdits edits_;
  Evaluator evaluator_;
  ControlRewriter control_;
  std::vector<Stack> stacks_;
};

// The eager meaning of an operation with constant operands, or a cheaper one: rules of fold.cpp.
bool fold_rule(Rewriter& rewriter, ir::Operation& operation);

}  // namespace covec::passes
