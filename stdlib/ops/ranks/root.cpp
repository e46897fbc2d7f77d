// `broadcast` and `scatter` as operators. One walks the tree that a rank gives (or none); the others act on a leaf, on
// what is to be known of the tree, and on what is no number.
#include "stdlib/cluster/ranks.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/ranks/family.hpp"
#include "stdlib/ops/ranks/parts.hpp"
#include "stdlib/ops/ranks/rooted.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/string.hpp"

namespace covec::ops {

namespace {

using cluster::Operation;

Operation operation_of_root(bool scatters) { return scatters ? Operation::scatter : Operation::broadcast; }

bool holds_numbers_alone(const Value& tree) {
  bool holds = true;
  each_leaf(tree, [&](const Value& leaf) { holds &= leaf.is_none() || is_leaf_of_numbers(leaf); });
  return holds;
}

Value leaf_from_root(Builder& b, Call& call, Operation operation) {
  const int root = root_argument(b.context(), call, 1, operation);
  if (is_alone(b.context(), operation, call.args[3])) return std::move(call.args[0]);
  Rooted rooted(b, operation, root);
  return rooted.leaf(std::move(call.args[0]), structure_text(call.args[2]), told_followers(call.args[3]));
}

Value broadcast_leaf(Builder& b, Call& call) { return leaf_from_root(b, call, Operation::broadcast); }

Type type_of_rows(const Call& call) {
  const Type type = operand_type(call, 0);
  if (type.shape.empty()) fail(message("ranks_rows"), {shown_name(call.entry)}, {label_of(call, 0)});
  return type;
}

Value scatter_leaf(Builder& b, Call& call) {
  type_of_rows(call);
  return leaf_from_root(b, call, Operation::scatter);
}

Type type_of_scatter(ShapeBuilder& shapes, const Call& call) {
  Type type = type_of_rows(call);
  type.shape[0] = shapes.unknown_dim();
  return type;
}

Value broadcast_examples(Builder& b, Call& made, const Batching&) { return call(b, made.entry, made.args); }

// The batch axis stands behind the rows meanwhile.
Value scatter_examples(Builder& b, Call& made, const Batching& batching) {
  const unsigned rank = example_type(made, 0, batching).shape.rank() + 1;
  if (rank < 2) return Value::unbound();
  std::vector<unsigned> axes(rank);
  for (unsigned axis = 0; axis < rank; ++axis) axes[axis] = axis < 2 ? 1 - axis : axis;
  made.args[0] = permute(b, std::move(made.args[0]), axes);
  return permute(b, call(b, made.entry, made.args), axes);
}

// --- in reverse: the root gave everything ---

Value cotangent_of_broadcast(RuleContext& rules, unsigned, const Residuals& residuals, const Value& cotangent) {
  Value sum = rules.call(parallel_all_sum_entry(), {cotangent});
  return rules.call(rank_part_entry(), {std::move(sum), residuals.operands[1]});
}

Value cotangent_of_scatter(RuleContext& rules, unsigned, const Residuals& residuals, const Value& cotangent) {
  Value all = rules.call(parallel_gather_entry(), {cotangent, Value(int64_t{0})});
  return rules.call(rank_part_entry(), {std::move(all), residuals.operands[1]});
}

Value announce(Builder& b, Call& call) {
  const Operation operation = operation_of_root(call.args[2].boolean());
  Rooted(b, operation, root_argument(b.context(), call, 1, operation)).announce(call.args[0]);
  return Value();
}

Value give(Builder& b, Call& call) {
  const int root = root_argument(b.context(), call, 1, Operation::broadcast);
  return Rooted(b, Operation::broadcast, root).whole(call.args[0]);
}

Value receive(Builder& b, Call& call) {
  const Operation operation = operation_of_root(call.args[1].boolean());
  const int root = root_argument(b.context(), call, 0, operation);
  Rooted rooted(b, operation, root);
  return b.context().ranks->size() == 1 ? Value() : rooted.receive();
}

Value tree_from_root(Builder& b, Call& made) {
  Value tree = std::move(made.args[0]), root = std::move(made.args[1]);
  const bool scatters = made.args[2].boolean();
  if (tree.is_none()) return call(b, parallel_receive_entry(), {root, Value(scatters)});
  if (!scatters && !holds_numbers_alone(tree)) return call(b, parallel_give_entry(), {tree, root});
  Value structure = make_string("");
  if (is_tree(tree)) {
    structure = make_string(structure_of(tree));
    const Value skeleton = map_leaves(tree, [](const Value& leaf) { return leaf.is_none() ? Value() : Value(true); });
    call(b, parallel_announce_entry(), {skeleton, root, Value(scatters)});
  }
  const Entry& entry = scatters ? parallel_scatter_entry() : parallel_broadcast_entry();
  return map_leaves(tree, [&](const Value& leaf) {
    return leaf.is_none() ? Value() : call(b, entry, {leaf, root, structure});
  });
}

constexpr Effects value_collective = {.may_fail = true, .outside = true, .shared = true, .meets = true};
constexpr Effects collective_of_examples = {.may_fail = true, .outside = true, .meets = true};

}  // namespace

const Entry& parallel_broadcast_entry() {
  static const Entry entry{
      .name = "_parallel_broadcast",
      .doc = "x of the rank `root`, on every rank.",
      .parameters = {tensor_parameter("x"), attribute("root"), attribute("structure", Value()),
                     attribute("active", Value(int64_t{0}))},
      .carries = true,
      .type = [](ShapeBuilder&, const Call& call) { return operand_type(call, 0); },
      .eager = broadcast_leaf,
      .derivative = Derivative::linearly(1, cotangent_of_broadcast),
      .batch = broadcast_examples,
      .effects = collective_of_examples,
      .internal = true,
      .part_of = "parallel.broadcast",
  };
  return entry;
}

const Entry& parallel_scatter_entry() {
  static const Entry entry{
      .name = "_parallel_scatter",
      .doc = "This rank's rows of x of the rank `root`.",
      .parameters = {tensor_parameter("x"), attribute("root"), attribute("structure", Value()),
                     attribute("active", Value(int64_t{0}))},
      .carries = true,
      .type = type_of_scatter,
      .eager = scatter_leaf,
      .derivative = Derivative::linearly(1, cotangent_of_scatter),
      .batch = scatter_examples,
      .effects = collective_of_examples,
      .internal = true,
      .part_of = "parallel.scatter",
  };
  return entry;
}

const Entry& parallel_announce_entry() {
  static const Entry entry{
      .name = "_parallel_announce",
      .doc = "Tells ranks that give none what tree the rank `root` gives.",
      .parameters = {any_parameter("skeleton"), attribute("root"), attribute("scatters")},
      .eager = announce,
      .derivative = Derivative::none("speaks to other ranks"),
      .effects = value_collective,
      .internal = true,
      .part_of = "parallel.broadcast",
  };
  return entry;
}

const Entry& parallel_give_entry() {
  static const Entry entry{
      .name = "_parallel_give",
      .doc = "A value of the rank `root`, on every rank.",
      .parameters = {any_parameter("x"), attribute("root")},
      .eager = give,
      .derivative = Derivative::none("speaks to other ranks"),
      .effects = value_collective,
      .internal = true,
      .part_of = "parallel.broadcast",
  };
  return entry;
}

const Entry& parallel_receive_entry() {
  static const Entry entry{
      .name = "_parallel_receive",
      .doc = "What the rank `root` gives, on a rank that gives none.",
      .parameters = {attribute("root"), attribute("scatters")},
      .eager = receive,
      .derivative = Derivative::none("speaks to other ranks"),
      .effects = value_collective,
      .internal = true,
      .part_of = "parallel.broadcast",
  };
  return entry;
}

const Entry& parallel_from_root_entry() {
  static const Entry entry{
      .name = "_parallel_from_root",
      .doc = "What the rank `root` gives, on every rank, or the rows of it.",
      .parameters = {any_parameter("x"), attribute("root"), attribute("scatters")},
      .eager = tree_from_root,
      .derivative = Derivative::none("calls operators, which have the derivatives"),
      .effects = {.may_fail = true},
      .internal = true,
      .staging = Staging::structural,
      .part_of = "parallel.broadcast",
  };
  return entry;
}

}  // namespace covec::ops
