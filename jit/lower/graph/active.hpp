// Stages a compiled function whose arguments are active (an eager derivative depends on them). It becomes one entry of
// that derivative's tape. The function is walked on a tape of its own. Its graph gives the result and pauses. It goes
// on with the sweep when the cotangents of the result are there. The values that the sweep needs stay in place
// meanwhile.
#pragma once

#include "jit/lower/graph/conditional_value.hpp"
#include "jit/lower/graph/graph_writer.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/autodiff/tape.hpp"

namespace covec::ir {

// Nodes are numbered from 1: those of the active arguments, then those of results that depend on them.
struct ActiveNodes {
  uint32_t inputs = 0, results = 0;
  Value result;  // like the call's; each deep leaf (autodiff::map_deep) is its node, 0 for a constant
};
// The pause gives the result. It is given, of each result node, the cotangent (before it a bool: whether there is one;
// not where there is one result node only, whose cotangent always is), then of each argument's node a bool and what its
// cotangent is so far. The graph's result is a tuple that holds the latter as they are after the sweep.

class ActiveWalk {
 public:
  // `memory`: autodiff::Tape::bound_memory().
  ActiveWalk(ops::Builder& builder, GraphWriter& writer, ConditionalValues& conditional_values, uint64_t memory);
  // A Symbol as the argument of that number: numbers come in order, and may come again.
  Value input(Value symbol, uint32_t number);
  // Closes the tape and writes the rest of the graph. Throws not_staged where it cannot be done.
  ActiveNodes finish(const Value& result);

 private:
  struct Node {
    uint32_t number;
    Type type;
  };
  uint32_t node_of(const Value& leaf);
  void pause(const Value& given, std::vector<Value>& cotangents);
  void add_swept(std::vector<Value>& sums, const std::vector<Value>& cotangents, const Node& node);

  ops::Builder& builder_;
  GraphWriter& writer_;
  ConditionalValues& conditional_values_;
  autodiff::LevelScope scope_;
  autodiff::Tape tape_;
  std::vector<Node> inputs_, results_;
};

}  // namespace covec::ir
