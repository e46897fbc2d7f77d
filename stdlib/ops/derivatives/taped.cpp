#include "stdlib/ops/derivatives/taped.hpp"

#include "stdlib/autodiff/apply.hpp"
#include "stdlib/autodiff/collectives.hpp"
#include "stdlib/autodiff/conditional_tangents.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/value/collected.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::autodiff {

// What is none on some paths of a compiled function is no constant: the interpreter knows what it is.
bool is_float_leaf(const Value& leaf) {
  if (leaf.is(ObjectKind::sequence) && leaf.sequence().only_the_run_knows())
    fail_not_staged(is_run_list(leaf) ? "a derivative of a list of records" : "a derivative of an optional value");
  return is_operand(leaf) && is_differentiable(leaf);
}

void refuse_list_of_nothing(const Value& leaf) {
  if (is_run_list(leaf) && !is_differentiable(leaf)) fail_not_staged("the length of a list without a derivative");
}

namespace {

// A leaf, its type here and in the tape's account, and where it is on its way.
constexpr size_t bytes_of_leaf = block_bytes(sizeof(Traced)) + 2 * sizeof(Type) + sizeof(Value);

Value wrap_leaf(TapedRun& run, NodeTree& tree, Value leaf, Value& node) {
  if (!is_float_leaf(leaf)) {
    refuse_list_of_nothing(leaf);
    return leaf;
  }
  const uint32_t number = run.tape.add_input();
  run.leaves.change(number * bytes_of_leaf);
  tree.types.push_back(logical_type(leaf));
  node = Value(static_cast<int64_t>(number));
  return make_tape(run.level, std::move(leaf), number);
}

Value wrap_tree(TapedRun& run, NodeTree& tree, Value argument) {
  if (!is_tree(argument)) return wrap_leaf(run, tree, std::move(argument), tree.nodes);
  Collected<Value> wrapped;
  tree.nodes = map_leaves(argument, [&](const Value& leaf) {
    Value node;
    wrapped.push(wrap_leaf(run, tree, leaf, node));
    return node;
  });
  size_t next = 0;
  return map_leaves(argument, [&](const Value&) { return std::move(wrapped[next++]); });
}

// One variable of which all ranks hold a copy.
Value of_all_ranks(ops::Builder& b, const Value& argument, const std::string& name, int64_t own) {
  const auto shared = [&](const Value& leaf) {
    return leaf.is_traced() ? ops::call(b, ops::handles().rank_variable, {leaf, make_string(name), Value(own)}) : leaf;
  };
  return is_tree(argument) ? map_leaves(argument, shared) : shared(argument);
}

template <class LeafFunction>
Value map_any(const Value& tree, const LeafFunction& f) {
  return is_tree(tree) ? map_leaves(tree, f) : f(tree);
}

}  // namespace

void TapedRun::run(ops::Builder& b, std::string_view transform, const Value& f, const Arguments& arguments,
                   const Parameters& wrt, FunctionRef<Value(Value)> finish) {
  LevelScope scope(b.context(), TraceKind::tape);
  scope.open().tape = &tape;
  scope.open().sweeps_once = sweeps_once;
  scope.open().notes_rules = notes_rules;
  scope.open().passes_rule = &passes_rule;
  scope.open().of_all_ranks = local.has_value();
  tape.bound_memory(memory);
  level = scope.level();
  bool any = false;
  for (size_t number : wrt.numbers) {
    const int slot = arguments.find(number);
    if (slot < 0) fail(message("parameter_not_given"), {std::string(transform), arguments.name_of(number)});
    Value& argument = arguments.all()[slot];
    const std::string given = is_float_leaf(argument) ? "" : without_floats(argument);
    const bool is_empty = is_tree(argument) && children(argument)->empty();
    NodeTree& tree = inputs.emplace_back();
    argument = wrap_tree(*this, tree, std::move(argument));
    if (tree.types.empty() && transform != "vjp") {
      fail(message("no_float_leaf"), {std::string(transform), arguments.name_of(number), given},
           {{slot, arguments.name_of(number) + " is " + given}},
           is_empty ? "" : "derivatives need floats: cast with f64(x)");
    }
    any |= !tree.types.empty();
    const bool shared = local && std::ranges::find(*local, number) == local->end();
    if (shared) argument = of_all_ranks(b, argument, arguments.name_of(number), active_bit(scope.open()));
  }
  if (!any) fail(message("no_float_primal"));
  result = arguments.call(b, f);
  if (finish) result = finish(std::move(result));
}

uint32_t TapedRun::node_of(const Value& leaf) const { return is_traced_at(leaf, level) ? leaf.traced().node : 0; }

NodeTree TapedRun::output_nodes() const {
  NodeTree tree;
  tree.nodes = map_any(result, [&](const Value& leaf) {
    if (!is_float_leaf(leaf)) return Value();
    tree.types.push_back(logical_type(leaf));
    return Value(static_cast<int64_t>(node_of(leaf)));
  });
  return tree;
}

Value TapedRun::plain_result() const { return strip(result, tape.is_split() ? tape.split_number() : level); }

Value cotangent_tree(ops::Builder& b, const NodeTree& tree, std::span<const Value> cotangents) {
  ops::RuleContext rules(b, false);
  size_t leaf = 0;
  return map_any(tree.nodes, [&](const Value& node) {
    if (node.is_none()) return Value();
    const Type& type = tree.types[leaf++];
    return zeros_where_absent(rules, cotangents[static_cast<size_t>(node.i64())], type);
  });
}

Value any_cotangent(ops::Builder& b, const NodeTree& tree, std::span<const Value> cotangents) {
  Value any(false);
  each_leaf(tree.nodes, [&](const Value& node) {
    if (node.is_none()) return;
    any = either(b, any, conditional_tangents(b).is_present(cotangents[static_cast<size_t>(node.i64())]));
  });
  return any;
}

Value map_with_given(const Value& tree, const Value& given, FunctionRef<Value(const Value&, const Value&)> f) {
  if (!is_tree(tree)) return f(tree, given);
  const Value trees[] = {tree, given};
  const auto each = [&](std::span<const Value> leaves) { return f(leaves[0], leaves[1]); };
  return map_containers(trees, [&](std::span<const Value> leaves) {
    if (!is_complex(leaves[0])) return each(leaves);
    if (is_tree(leaves[1])) return map_trees(leaves, each);
    const Complex& z = complex_of(leaves[0]);
    Value re = f(z.re(), leaves[1]);
    return make_complex(std::move(re), f(z.im(), Value()));
  });
}

Value fit_to(ops::Builder& b, Value value, const Type& type, std::string_view what) {
  if (value.is_none()) return value;
  if (!is_operand(value)) fail(message("cotangent_kind"), {std::string(what), type.text(), describe(value)});
  const Type given = logical_type(value);
  if (!(given.shape == type.shape)) {
    if (given.shape.known() && type.shape.known())
      fail(message("cotangent_shape"), {std::string(what), type.text(), given.text()});
    if (given.shape.rank() != type.shape.rank()) fail_not_staged("whether " + std::string(what) + " has its shape");
    // A check only: on a tape the value stays the one that it is, so that its cotangents are added as in eager code.
    ops::expect_shape(b, without_derivatives(value), what, type);
  }
  return given.dtype == type.dtype ? value : ops::RuleContext(b, false).cast(std::move(value), type.dtype);
}

void expect_none(const Value& given, const Value& leaf, std::string_view what) {
  if (given.is_none()) return;
  if (given.is(ObjectKind::sequence) && given.sequence().only_the_run_knows())
    fail_not_staged("whether " + std::string(what) + " is none");
  const bool bare = is_operand(leaf) || leaf.is_none();
  const std::string text = bare ? describe(leaf) : with_article(describe(leaf));
  fail(message("cotangent_of_none"), {std::string(what), text, describe(given)}, {},
       "give none for what is not a float");
}

namespace {

bool is_numbers(const Value& value) {
  if (is_operand(shaped_part(value))) return true;
  if (!value.is(ObjectKind::sequence)) return false;
  const Sequence* const sequence = &value.sequence();
  return dynamic_cast<const Range*>(sequence) != nullptr || dynamic_cast<const SymbolicRange*>(sequence) != nullptr;
}

}  // namespace

void expect_none_of_rule(const Value& given, const Value& leaf, std::string_view what) {
  if (!is_numbers(leaf) || !is_numbers(given)) expect_none(given, leaf, what);
}

std::vector<Value> as_arguments(const Value& primals) {
  if (primals.is(ObjectKind::tuple)) return primals.tuple().items;
  return {primals};
}

Value bare_or_tuple(std::vector<Value> values, bool tuple) {
  return tuple ? make_tuple(std::move(values)) : std::move(values.front());
}

}  // namespace covec::autodiff
