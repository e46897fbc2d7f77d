// tree_vector: joins the float leaves of a tree into one vector, and back, for methods that know only vectors.
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/general/family.hpp"
#include "stdlib/ops/general/general.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/collected.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

bool is_float_leaf(const Value& leaf) { return is_operand(leaf) && is_float(logical_type(leaf).dtype); }

int64_t elements_of(const Value& leaf) {
  const Shape shape = logical_type(leaf).shape;
  if (!shape.known()) fail_not_staged("how many numbers a tree has");
  return shape.elements();
}

// The tree with its float leaves replaced, in their dtypes and shapes, by the numbers of a vector.
class VectorToTree final : public Callable {
 public:
  explicit VectorToTree(Value tree) : Callable(CallableKind::transformed), tree_(std::move(tree)) {}

  Value call(Builder& builder, std::span<Value> args, std::span<const std::string_view> keywords) override {
    if (args.size() != 1 || !keywords.empty())
      fail(message("argument_count"), {name(), "1", std::to_string(args.size())});
    const Value vector = args[0];
    check(vector);
    int64_t at = 0;
    return map_leaves(tree_, [&](const Value& leaf) {
      if (!is_float_leaf(leaf)) return leaf;
      const Type type = logical_type(leaf);
      const int64_t count = elements_of(leaf);
      Value part = ops::call(builder, handles().narrow, {vector, Value(int64_t{0}), Value(at), Value(count)});
      at += count;
      return ops::call(builder, cast_entry(type.dtype), {reshape(builder, std::move(part), type.shape)});
    });
  }
  std::string name() const override { return "the way back of tree_vector"; }
  std::vector<std::string_view> parameter_names() const override { return {"vector"}; }
  std::vector<Value> captures() const override { return {tree_}; }
  Value with_captures(std::vector<Value> values) const override {
    return Value::adopt(new VectorToTree(std::move(values.at(0))));
  }
  std::string staging_key() const override { return "way back"; }
  bool keeps_trees() const override { return true; }

 private:
  void check(const Value& vector) const {
    int64_t count = 0;
    each_leaf(tree_, [&](const Value& leaf) { count += is_float_leaf(leaf) ? elements_of(leaf) : 0; });
    const bool fits = is_operand(vector) && logical_type(vector).shape.rank() == 1 &&
                      (!logical_type(vector).shape.known() || logical_type(vector).shape[0] == Dim(count));
    if (!fits) fail(message("tree_vector_size"), {std::to_string(count), describe(vector)});
  }

  const Value tree_;
};

Value tree_vector(Builder& builder, Call& call) {
  Collected<Value> collected;
  bool wide = false;
  each_leaf(call.args[0], [&](const Value& leaf) {
    if (!is_float_leaf(leaf)) return;
    wide |= logical_type(leaf).dtype == Dtype::f64;
    collected.push(reshape(builder, leaf, {Dim(elements_of(leaf))}));
  });
  std::vector<Value> parts = collected.take();
  if (parts.empty()) fail(message("no_float_leaf"), {"tree_vector", "the tree", describe(call.args[0])});
  for (Value& part : parts) part = ops::call(builder, cast_entry(wide ? Dtype::f64 : Dtype::f32), {std::move(part)});
  Value vector = concat(builder, parts, 0);
  return make_tuple({std::move(vector), Value::adopt(new VectorToTree(call.args[0]))});
}

}  // namespace

const Entry& tree_vector_entry() {
  static const Entry entry{
      .name = "tree_vector",
      .doc =
          "The float leaves of a tree as one vector, and a function that gives the tree of such a vector: "
          "`v, back = tree_vector(p)`.\n\nThe vector is f64 where any leaf is, else f32. `back` gives leaves their "
          "dtypes "
          "and shapes again, and leaves that are no floats as they were.",
      .parameters = {any_parameter("tree")},
      .eager = tree_vector,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .staging = Staging::structural,
      .example = R"(v, back = tree_vector({w: [[1.0, 2.0]], n: 3, b: f32(0.5)})
print(v, back(v * 2))  # expect: [1.0, 2.0, 0.5] {w: [[2.0, 4.0]], n: 3, b: 1.0})",
  };
  return entry;
}

Family general_tree_vector_entries() {
  static const Entry* const entries[] = {&tree_vector_entry()};
  return entries;
}

}  // namespace covec::ops
