#include "jit/lower/examples.hpp"

#include <algorithm>

#include "jit/lower/graph/not_staged.hpp"
#include "stdlib/autodiff/batch.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/contract/rules.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/bodies/compare.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

namespace {

class Stack {
 public:
  Stack(ops::Builder& builder, GraphWriter& writer, Dim size, std::string_view what)
      : builder_(builder), writer_(writer), size_(size), what_(what) {}

  // The first result tells what all are like.
  void take_types(const Value& first) {
    tree_ = first;
    each_leaf(first, [&](const Value& leaf) {
      if (leaf.is_none()) return;
      check(leaf);
      types_.push_back(logical_type(leaf));
    });
  }
  // Whether all extents are among the graph's first so many dimensions.
  bool has_extents_of(size_t dimensions) const {
    return std::ranges::all_of(types_, [&](const Type& type) {
      return std::ranges::all_of(type.shape, [&](Dim dim) { return dim.known() || dim.id() < dimensions; });
    });
  }
  // Room for all results.
  void begin() {
    for (Type type : types_) {
      type.shape.insert(0, size_);
      stacks_.push_back(ops::RuleContext(builder_, false).zeros(type));
    }
  }

  void add(const Value& result, const Value& number) {
    size_t next = 0;
    const Value trees[] = {tree_, result};
    map_trees(trees, [&](std::span<const Value> leaves) {
      if (leaves[0].is_none() != leaves[1].is_none()) refuse();
      if (leaves[0].is_none()) return Value();
      check(leaves[1]);
      agree(types_[next], logical_type(leaves[1]));
      write(stacks_[next++], leaves[1], number);
      return Value();
    });
  }

  Value result() const {
    size_t next = 0;
    return map_any(tree_, [&](const Value& leaf) { return leaf.is_none() ? leaf : stacks_[next++]; });
  }
  Staging::Variables variables() {
    Staging::Variables all;
    for (Value& stack : stacks_) all.push_back(&stack);
    return all;
  }

 private:
  template <class F>
  static Value map_any(const Value& tree, F f) {
    return is_tree(tree) ? map_leaves(tree, f) : f(tree);
  }
  [[noreturn]] void refuse() const { not_staged("a condition that differs between examples of " + std::string(what_)); }
  void check(const Value& leaf) const {
    const Value* at = &leaf;
    while (at->is_traced()) at = &at->traced().primal;
    if (!is_operand(leaf) || (is_symbol(*at) && static_cast<const Symbol*>(at->object())->boxed)) refuse();
  }
  // Results of different sizes are an error, which the interpreter says.
  void agree(const Type& first, const Type& other) {
    if (first.dtype != other.dtype || first.shape.rank() != other.shape.rank()) refuse();
    for (unsigned axis = 0; axis < first.shape.rank(); ++axis) {
      if (first.shape[axis] == other.shape[axis]) continue;
      writer_.require(ops::call(builder_, ops::entry_of<ops::Equal>(),
                                {builder_.extent(first.shape[axis]), builder_.extent(other.shape[axis])}));
    }
  }
  void write(Value& stack, const Value& leaf, const Value& number) {
    ops::IndexSpec spec;
    spec.push(ops::IndexSpec::Item::at);
    Value args[] = {std::move(stack), leaf, Value(spec.packed())};
    Value items[] = {number};
    stack = ops::call(builder_, ops::index_update_entry(), args, items);
  }

  ops::Builder& builder_;
  GraphWriter& writer_;
  const Dim size_;
  const std::string_view what_;
  Value tree_;
  std::vector<Type> types_;
  std::vector<Value> stacks_;
};

bool calls_host(const Operation& operation) {
  return operation.kind == Kind::apply && !operation.args.empty() && operation.args[0].is(ObjectKind::function) &&
         operation.args[0].function().callable_kind == CallableKind::host;
}

// Functions of the host's are called example by example on all engines.
bool acts_otherwise(const Operation& operation, bool draws) {
  if (calls_host(operation) || (draws && operation.kind == Kind::apply && operation.entry->effects.random))
    return false;
  if (operation.regions.empty() || operation.kind == Kind::interpret || operation.kind == Kind::call)
    return acts(operation);
  return std::ranges::any_of(operation.regions, [&](const Region& region) {
    return std::ranges::any_of(region.operations, [&](const Operation& inner) { return acts_otherwise(inner, draws); });
  });
}

}  // namespace

// The first example tells what the results are like. Mostly that says how large they are: then the code of the first
// is taken back, and one loop runs all examples. Otherwise the first stands before the loop.
Value stack_examples(ops::Builder& builder, GraphWriter& writer, ControlFlow& control_flow, Dim size,
                     std::string_view what, bool draws, FunctionRef<Value(const Value& number)> body) {
  const Value count = builder.extent(size), none(int64_t{0}), one(int64_t{1});
  const GraphWriter::Position before = writer.position();
  const size_t dimensions = writer.graph().dims.size();
  Stack stack(builder, writer, size, what);
  const Value first = body(none);
  stack.take_types(first);
  // A derivative around it has noted the first.
  const bool all = builder.context().innermost == nullptr && stack.has_extents_of(dimensions);
  if (all) writer.rollback(before);
  stack.begin();
  if (!all) stack.add(first, none);
  const Value rest = all ? count : ops::call(builder, ops::entry_of<ops::Subtract>(), {count, one});
  control_flow.repeat(rest, stack.variables(), [&](const Value& index) {
    const Value number = all ? index : ops::call(builder, ops::entry_of<ops::Add>(), {index, one});
    stack.add(body(number), number);
    return Value();
  });
  // Draws and prints of examples have an order of their own, and what the interpreter does knows no examples.
  if (std::ranges::any_of(writer.appended_since(before.operations),
                          [&](const Operation& operation) { return acts_otherwise(operation, draws); }))
    not_staged("a condition that differs between examples of " + std::string(what));
  return stack.result();
}

bool meets_loops(GraphWriter& writer, FunctionRef<void()> walk) {
  const GraphWriter::Position before = writer.position();
  const uint64_t loops = writer.loops();
  try {
    walk();
  } catch (const OpError&) {  // is met again
  } catch (const CovecError&) {
  } catch (...) {
    writer.rollback(before);
    throw;
  }
  writer.rollback(before);
  return writer.loops() != loops;
}

namespace {

// Whether there are as few as run one by one: as many as the pass says.
Value are_few(ops::Builder& builder, GraphWriter& writer, Dim size) {
  const auto number = static_cast<int64_t>(writer.graph().values.size());  // of this choice
  Operation operation;
  operation.entry = &ops::handles().max_apart;
  operation.args = {Value(autodiff::max_run_apart), Value(number)};
  Value most = writer.result_of(operation, {Dtype::i64, {}});
  writer.append(std::move(operation));
  ops::Steps steps(builder);
  const Value count = builder.extent(size);
  Value few = steps.less_equal(count, std::move(most));
  return size.known() ? few : steps.both(std::move(few), steps.less(Value(int64_t{0}), count));
}

}  // namespace

Value few_or_all(ops::Builder& builder, GraphWriter& writer, Dim size, FunctionRef<Value()> apart,
                 FunctionRef<Value()> all) {
  const GraphWriter::Position before = writer.position();
  bool is_refused = false;
  const auto one_by_one = [&]() -> Value {
    try {
      return apart();
    } catch (...) {  // draws and prints need a single run; any other error is raised again by it
      is_refused = true;
      throw;
    }
  };
  try {
    return builder.choose(are_few(builder, writer, size), one_by_one, all);
  } catch (...) {
    if (!is_refused) throw;
    writer.rollback(before);
  }
  return all();
}

}  // namespace covec::ir
