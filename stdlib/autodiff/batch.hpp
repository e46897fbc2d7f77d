// vmap: values that stand for all examples at once, their operators, and running a function over examples. If control
// flow differs between examples, the function runs again example by example. Draws and prints then happen as if it had
// run so from the start.
#pragma once

#include <functional>

#include "stdlib/autodiff/level.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/value/function_ref.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

Value apply_batched(ops::Builder& builder, const OpenLevel& level, ops::Call& call);

// Example `index` of a batch's physical value.
Value example_of(ops::Builder& builder, const Value& examples, const Value& index);
// The same of each number or tensor in a tree.
Value example_of_tree(ops::Builder& builder, const Value& examples, const Value& index);
// Every leaf that is batched at `level`, in any depth of wrapping, replaced by its example (for printing).
Value example_at(ops::Builder& builder, const Value& tree, uint64_t level, int64_t index);

// Who sees that a batch is open: draws and prints inside happen for each example (a user's vmap, a comprehension), once
// for all (a Jacobian's basis), or for the examples of a vmap whose place this one takes (a function applied as one
// operation).
struct BatchView {
  BatchView(bool is_visible = true, uint64_t replaced = 0) : visible(is_visible), replaces(replaced) {}  // NOLINT
  bool visible;
  uint64_t replaces;
};

// Runs `body` over `size` examples and stacks its results leaf by leaf along a new first axis. The body is given the
// level of the open batch and none, and wraps what is batched with make_batch; where its control flow turns out to be
// batched it is called again for each example, with level 0 and the example's number (while a function is staged: a
// Symbol for it). `what` names it in messages: "vmap(f)".
using ExampleBody = std::function<Value(uint64_t level, const Value& example)>;
// `apart`: results that are neither numbers nor tensors become the items of a list.
Value over_examples(ops::Builder& builder, Dim size, BatchView view, std::string_view what, const ExampleBody& body,
                    bool apart = false);
// Where branches and loops make a function one of numbers, running it for each example may cost less than loops over
// tensors that have one element for each. So a function that is being compiled may have both forms
// (Builder::few_or_all). Not under another derivative or vmap, which is given cotangents in the order of all at once.
constexpr int64_t max_run_apart = 1024;  // examples: with more, threads may share the tensors
bool may_run_apart(const ops::Builder& builder, Dim size);
// Thrown while a function is staged, where only a loop that pushes can make the list.
struct ApartLater {
  Value all = Value();  // what all examples give, each leaf along a new first axis; none: run them in the loop
  Dim size = Dim(0);
};

// The comprehension over `start, start + step, …` (`size` numbers): the body is given its index.
Value over_range(ops::Builder& builder, int64_t start, int64_t step, int64_t size, std::string_view what,
                 FunctionRef<Value(const Value& index)> body, bool apart = false);

// The same over a range whose bounds only the run knows.
Value over_range(ops::Builder& builder, const SymbolicRange& range, std::string_view what,
                 FunctionRef<Value(const Value& index)> body, bool apart = false);

// Leaves of one tree structure, stacked along a new first axis.
Value stack_trees(ops::Builder& builder, std::vector<Value> trees, std::string_view what);

// No examples, and a result that would depend on them: tried on an example of zeros, for its result's type alone.
Value type_of_none(ops::Builder& builder, std::string_view what, FunctionRef<Value()> try_body);

// While it lives nothing is printed: a function is run for its derivative, or for a type, a second time.
class QuietScope {
 public:
  explicit QuietScope(ops::Context& context) : context_(context), output_(std::exchange(context.output, &none_)) {}
  ~QuietScope() { context_.output = output_; }

 private:
  struct NoOutput final : ops::Output {
    void write(std::string_view) override {}
    void warn(std::string_view) override {}
  };
  ops::Context& context_;
  NoOutput none_;
  ops::Output* output_;
};

}  // namespace covec::autodiff
