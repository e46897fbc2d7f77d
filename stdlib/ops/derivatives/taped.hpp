// Runs a function once with a tape, for grad, vjp and jacobian.
#pragma once

#include "stdlib/autodiff/sweep.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/derivatives/transformed.hpp"
#include "stdlib/value/function_ref.hpp"
#include "stdlib/value/memory.hpp"

namespace covec::autodiff {

// A tree whose float leaves are nodes of a tape: leaf = node number (0: a constant), none for what has no derivative.
// Types are by number of the float leaf, in order of walking the tree.
struct NodeTree {
  Value nodes;
  std::vector<Type> types;
};

class TapedRun {
 public:
  explicit TapedRun(Pool& pool) : tape(pool) {}
  // Calls f with the arguments of `wrt` traced. Afterwards the level is closed: its values are constants to all others.
  // `finish` is given the result before.
  void run(ops::Builder& builder, std::string_view transform, const Value& f, const Arguments& arguments,
           const Parameters& wrt, FunctionRef<Value(Value)> finish = {});

  bool sweeps_once = false, notes_rules = false;  // as OpenLevel has them
  // Of a function of all ranks (parallel.grad): the parameters of which each rank has its own. The others are the same
  // on all ranks.
  std::optional<std::vector<size_t>> local;
  uint64_t memory = 0;  // as Tape::bound_memory() takes it
  Tape tape;
  MemoryCharge leaves{0};        // of the inputs
  std::vector<NodeTree> inputs;  // by element of wrt
  bool passes_rule = false;      // it has gone through a function with a forward rule alone
  Value result;                  // still wrapped
  uint64_t level = 0;
  std::shared_ptr<const void> texts;  // where the tape's places lie, when it outlives the run

  uint32_t node_of(const Value& leaf) const;  // 0: a constant
  NodeTree output_nodes() const;              // of the result
  Value plain_result() const;                 // the result with the tape's wrapping taken off
};

// The tree of cotangents (zeros where there is none), given those by node.
Value cotangent_tree(ops::Builder& builder, const NodeTree& tree, std::span<const Value> cotangents);
// Whether any leaf has one, as a bool that only the run may know.
Value any_cotangent(ops::Builder& builder, const NodeTree& tree, std::span<const Value> cotangents);

// `value` as a cotangent or tangent of something of `type`: of its shape, cast to its dtype; none for zero. `what` says
// in messages what it is: "the tangent of x".
Value fit_to(ops::Builder& builder, Value value, const Type& type, std::string_view what);

// An error if a tangent or cotangent is given for a leaf that has none. `what` as fit_to has it. A rule may give
// numbers for integers: it need not ask whether a number that its function was called with is a float.
void expect_none(const Value& given, const Value& leaf, std::string_view what);
void expect_none_of_rule(const Value& given, const Value& leaf, std::string_view what);

// f(leaf of the tree, what `given` has there): cotangents, tangents. A real number where the tree has a complex one has
// no imaginary part: none.
Value map_with_given(const Value& tree, const Value& given,
                     FunctionRef<Value(const Value& leaf, const Value& given)> f);

// Values that may come bare where there is one: a tuple is several.
std::vector<Value> as_arguments(const Value& primals);
Value bare_or_tuple(std::vector<Value> values, bool tuple);
bool is_float_leaf(const Value& leaf);
// A list of integers has a none for each in the derivative, and how many there are only the run may know.
void refuse_list_of_nothing(const Value& leaf);

}  // namespace covec::autodiff
