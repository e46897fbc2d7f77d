// Items of parts lie on their ranks. What they send to others is one active vector a dtype, which is
// gathered as any tensor is. Then each rank puts the numbers where they belong in all items, which it has as constants.
#include "stdlib/ops/derivatives/part_items.hpp"

#include "stdlib/autodiff/collectives.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/derivatives/taped.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

Entry structural(std::string_view name, std::string_view doc, std::vector<Parameter> parameters,
                 Value (*eager)(Builder&, Call&)) {
  return {.name = name,
          .doc = doc,
          .parameters = std::move(parameters),
          .eager = eager,
          .derivative = Derivative::of_parts(),
          .effects = {.may_fail = true},
          .internal = true,
          .staging = Staging::structural,
          .part_of = "parallel"};
}

Dtype dtype_named(const Value& name) {
  for (const Dtype dtype : {Dtype::f64, Dtype::f32, Dtype::f16}) {
    if (name.string().text == name_of(dtype)) return dtype;
  }
  fail_not_staged("floats of an unknown dtype");
}

bool is_of(const Value& leaf, Dtype dtype) {
  return autodiff::is_float_leaf(leaf) && logical_type(leaf).dtype == dtype;
}

Value floats(Builder& b, Call& call) {
  const Dtype dtype = dtype_named(call.args[1]);
  std::vector<Value> vectors;
  each_leaf(call.args[0], [&](const Value& leaf) {
    if (is_of(leaf, dtype)) vectors.push_back(flatten(b, leaf));
  });
  if (vectors.empty()) return zeros(b, {dtype, {Dim(0)}});
  return concat(b, vectors, 0);
}

Value with_floats(Builder& b, Call& call) {
  const Dtype dtype = dtype_named(call.args[1]);
  int64_t next = 0;
  return map_leaves(call.args[0], [&](const Value& leaf) {
    if (!is_of(leaf, dtype)) return leaf;
    const Shape shape = logical_type(leaf).shape;
    const int64_t size = shape.elements();
    Value own = narrow(b, call.args[2], 0, Dim(next), Dim(size));
    next += size;
    return reshape(b, std::move(own), shape);
  });
}

// Bools are counted.
Value addend(Builder& b, const Value& leaf) {
  const bool counts = is_operand(leaf) && logical_type(leaf).dtype == Dtype::boolean;
  return counts ? cast_to(b, leaf, Dtype::i64) : leaf;
}

Value leaf_sum(Builder& b, const Value& left, const Value& right) {
  if (left.is_none()) return left;
  return call(b, handles().add, {addend(b, left), addend(b, right)});
}

// Of one tree where the other is none.
Value tree_sum(Builder& b, Call& made) {
  const Value &left = made.args[0], &right = made.args[1];
  const auto alone = [&](const Value& leaf) { return addend(b, leaf); };
  if (right.is_none()) return is_tree(left) ? map_leaves(left, alone) : alone(left);
  if (!is_tree(left)) return leaf_sum(b, left, right);
  const Value trees[] = {left, right};
  return map_trees(trees, [&](std::span<const Value> leaves) { return leaf_sum(b, leaves[0], leaves[1]); });
}

}  // namespace

const Entry& is_differentiated_entry() {
  static const Entry entry =
      structural("_is_differentiated", "Whether derivatives are open that pass through collectives.", {},
                 [](Builder& b, Call&) { return Value(autodiff::innermost_follower(b.context()) != nullptr); });
  return entry;
}

// What a rank receives is known when it runs alone, and so is how derivatives pass through it.
const Entry& receives_entry() {
  static const Entry entry =
      structural("_receives", "Whether x is none, in code that is not staged if derivatives pass through collectives.",
                 {any_parameter("x")}, [](Builder& b, Call& call) {
                   const bool receives = call.args[0].is_none();
                   if (receives && !b.is_eager() && autodiff::innermost_follower(b.context()) != nullptr)
                     fail_not_staged("a derivative of what another rank gives");
                   return Value(receives);
                 });
  return entry;
}

const Entry& floats_entry() {
  static const Entry entry = structural("_floats", "The floats of a tree that have a dtype, as a vector.",
                                        {any_parameter("tree"), any_parameter("dtype")}, floats);
  return entry;
}

const Entry& with_floats_entry() {
  static const Entry entry =
      structural("_with_floats", "A tree with other floats of a dtype, which a vector holds.",
                 {any_parameter("tree"), any_parameter("dtype"), any_parameter("floats")}, with_floats);
  return entry;
}

const Entry& tree_sum_entry() {
  static const Entry entry = structural("_tree_sum", "The sum of two trees, leaf by leaf.",
                                        {any_parameter("a"), any_parameter("b")}, tree_sum);
  return entry;
}

}  // namespace covec::ops
