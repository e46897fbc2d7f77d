// A walk over a graph that rewrites it: every operation in program order, its operands already simple, through a table
// of rules. What a rule finds out is seen by all that follows, so one walk settles most chains; passes of the pipeline
// run it again for what goes round a loop.
//
// Operations stay where they lie while the walk lasts (rules may point at them); one that goes becomes a tombstone, and
// all regions are tidied up at the end. A branch that is known to be taken is walked as part of what surrounds it.
//
// Start at run(), then Rewriter::operation. Rules are in fold.cpp and simplify*.cpp.
#pragma once

#include <deque>
#include <functional>
#include <unordered_map>
#include <vector>

#include "jit/ir/graph.hpp"
#include "jit/passes/evaluate.hpp"
#include "jit/passes/extents.hpp"

namespace covec::passes {

class Rewriter {
 public:
  // What becomes of an operation: true when it has changed (it is asked again) or has gone.
  using Rule = bool (*)(Rewriter&, ir::Operation&);

  Rewriter(ir::Graph& graph, Rule apply_rule);
  void run();

  // --- what rules ask ---
  ir::Graph& graph() { return graph_; }
  Extents& extents() { return extents_; }
  Evaluator& evaluator() { return evaluator_; }
  // What stands for a value now: a Symbol or a constant.
  Value now(ir::Id id) const { return values_[id].now.is_unbound() ? graph_.symbol(id) : values_[id].now; }
  bool visible(ir::Id id) const { return values_[id].visible; }
  bool visible(const Value& value) const;  // all that it mentions
  // The operation that gives a value; nullptr for constants and parameters.
  const ir::Operation* maker(const Value& value) const {
    return ir::is_symbol(value) ? values_[ir::id_of(value)].maker : nullptr;
  }
  const ir::Operation* maker(const Value& value, const ops::Entry& entry) const;
  bool is_boxed(const Value& value) const { return ir::is_symbol(value) && graph_.values[ir::id_of(value)].boxed; }
  Type type(const Value& value) const;
  bool same_type(const Value& a, const Value& b);
  // The number that fills a tensor (or is the number): a constant or a Symbol. Unbound when there is none.
  Value filling(const Value& value) const;

  // --- what rules do ---
  bool replace(ir::Operation& operation, Value by);  // its only result is `by`; always true
  void replace_result(ir::Operation& operation, size_t result, Value by);
  static void bury(ir::Operation& operation);  // nobody needs it
  // A new operation of one result just before `operation`.
  Value insert(const ir::Operation& before, const ops::Entry& entry, std::vector<Value> args, const Type& type);
  // One more result of a branch: what the operation `like` makes of its result in the place of an operand, done on each
  // path. Unbound where neither path's result is a constant.
  Value on_paths(const ir::Operation& branch, ir::Id result, const ir::Operation& like, size_t operand);
  static bool buried(const ir::Operation& operation) {
    return operation.kind == ir::Kind::undefined && operation.results.empty();
  }

 private:
  struct Scope {
    size_t defined, equal;
  };
  struct Known {
    Value now = Value::unbound();  // unbound: itself
    const ir::Operation* maker = nullptr;
    bool visible = false;
  };

  void region(ir::Region& region, const std::function<void()>& at_end = {});
  void body(ir::Region& region);  // in the scope that is open
  void operation(ir::Operation& operation);
  void resolve(Value& value) const;
  void define(ir::Id id, const ir::Operation* maker);
  void retype(ir::Id id);
  void infer(const ir::Operation& operation);
  void take_extents(ir::Id id, const Shape& from);
  void learn(const ir::Operation& operation);
  Scope open() const;
  void close(const Scope& scope);

  // control (rewriter_control.cpp)
  void branch(ir::Operation& operation);
  void take_branch(ir::Operation& operation);
  void path(ir::Operation& operation, unsigned which);
  void join_results(ir::Operation& operation);
  Value joined(ir::Operation& operation, size_t result);
  void loop(ir::Operation& operation);
  bool loop_goes(ir::Operation& operation);
  void splice(ir::Operation& operation, ir::Region& region, const std::vector<ir::Id>& parameters);
  void unchanged_values(ir::Operation& operation);
  void unchanged_extents(ir::Operation& operation, std::vector<Shape>& shapes);
  bool through_stack(ir::Operation& operation);
  void tidy(ir::Region& region);
  void tidy_into(ir::Region& region, std::vector<ir::Operation>& out);
  void keep(ir::Operation& operation, std::vector<ir::Operation>& out);

  ir::Graph& graph_;
  const Rule rule_;
  std::vector<Known> values_;
  Extents extents_;
  Evaluator evaluator_;
  std::vector<ir::Id> defined_;  // in the open regions, in order
  std::unordered_map<const ir::Operation*, std::vector<ir::Operation*>> inserted_;
  std::unordered_map<const ir::Operation*, ir::Region*> spliced_;  // in whose place that region's operations stand
  std::deque<ir::Operation> made_;
  std::unordered_map<const ir::Region*, std::vector<ir::Operation*>> appended_;
  struct Stack {
    unsigned pushes = 0;
    bool popped = false;  // by an operation that stays
    Value pushed;
    Shape shape;
  };
  std::vector<Stack> stacks_;
  bool changed_ = false;  // some region has to be tidied up
};

// One value of the graph, or one constant, bit by bit.
bool same_operand(const Value& a, const Value& b);
// The eager meaning of an operation with constant operands, or a cheaper one: rules of fold.cpp.
bool fold_rule(Rewriter& rewriter, ir::Operation& operation);

}  // namespace covec::passes
