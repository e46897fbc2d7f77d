// Lists, records and trees: making, growing, querying, mapping.
#include <algorithm>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/equality.hpp"
#include "stdlib/ops/general/family.hpp"
#include "stdlib/ops/general/general.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/collected.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

// list(range(3)), as other languages write it.
void warn_of_sequence(Builder& b) {
  Context& context = b.context();
  if (!b.is_eager()) fail_not_staged("a warning");
  constexpr auto text = "list(xs) is a list of one item, xs itself: write list(*xs) for a list of the items of xs";
  if (context.output != nullptr && context.warned.insert(text).second) context.output->warn(text);
}

Value list(Builder& b, Call& call) {
  if (call.rest.size() == 1 && call.rest[0].is(ObjectKind::sequence)) warn_of_sequence(b);
  std::vector<Value> items;
  items.reserve(call.rest.size());
  for (Value& value : call.rest) items.push_back(std::move(value));
  return make_list(std::move(items));
}

// A list that nobody else holds grows in place: a loop of pushes is linear.
Value push(Builder&, Call& call) {
  Value& xs = call.args[0];
  if (!xs.is(ObjectKind::list)) fail_attribute(call, 0, "a list");
  if (xs.unique()) {
    xs.list().push(std::move(call.args[1]));
    return std::move(xs);
  }
  const std::vector<Value>& old = xs.list().items();
  std::vector<Value> items;
  items.reserve(old.size() + 1);
  items = old;
  items.push_back(std::move(call.args[1]));
  return make_list(std::move(items));
}

// What has no derivatives: integers, bools and texts.
bool is_fixed(const Value& leaf) {
  if (leaf.is(ObjectKind::string)) return true;
  return is_operand(leaf) && !is_boxed_symbol(leaf) && !is_float(logical_type(leaf).dtype);
}

// A gradient has none where its parameter is such a leaf. A step of the parameters by their gradient leaves it alone.
bool stays(std::span<const Value> leaves) {
  const auto is_none = [](const Value& leaf) { return leaf.is_none(); };
  return std::ranges::any_of(leaves, is_none) && std::ranges::any_of(leaves, is_fixed) &&
         std::ranges::all_of(leaves, [&](const Value& leaf) { return is_none(leaf) || is_fixed(leaf); });
}

Value tree_map(Builder& b, Call& call) {
  if (!call.args[0].is(ObjectKind::function)) fail_attribute(call, 0, "a function");
  if (call.rest.empty()) fail(message("argument_missing"), {"tree_map", "trees"});
  Callable& function = call.args[0].function();
  return map_containers(call.rest, [&](std::span<const Value> leaves) {
    if (stays(leaves)) return leaves[0];
    std::vector<Value> args(leaves.begin(), leaves.end());
    return function.call(b, args, {});
  });
}

Value tree_leaves(Builder&, Call& call) {
  Collected<Value> leaves;
  map_containers({&call.args[0], 1}, [&](std::span<const Value> leaf) {
    leaves.push(leaf[0]);
    return Value();
  });
  return make_list(leaves.take());
}

Value same(Builder& b, Call& call) {
  return equality(b, call.args[0], call.args[1], "whether two values are the same");
}

}  // namespace

const Entry& same_entry() {
  static const Entry entry{
      .name = "same",
      .doc =
          "Whether two values of any kinds are the same, as `==` has it inside trees: values of different kinds are "
          "not, "
          "and nothing is an error.",
      .parameters = {any_parameter("a"), any_parameter("b")},
      .eager = same,
      .derivative = Derivative::none("gives a bool"),
      .samples = {{"1, \"1\"", "false", "definition"},
                  {"(1, 2), (1, 2)", "true", "definition"},
                  {"[1, 2], [1, 2]", "true", "definition"},
                  {"{a: 1}, {\"a\": 1}", "false", "definition"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& list_entry() {
  static const Entry entry{
      .name = "list",
      .doc =
          "A list of its arguments: `list(a, b)`; `list()` is empty. `list(e for x in xs)` gives one item for each x.",
      .parameters = {{.name = "items", .kind = ParameterKind::any, .required = false}},
      .variadic = true,
      .eager = list,
      .derivative = Derivative::none("makes a list"),
      .staging = Staging::structural,
      .example = R"(xs = list(1, "two", [3.0])
print(xs, len(xs), list(i^2 for i in range(4)))  # expect: list(1, "two", [3.0]) 3 list(0, 1, 4, 9))",
  };
  return entry;
}

const Entry& push_entry() {
  static const Entry entry{
      .name = "push",
      .doc =
          "The list with one more item at its end.\n\nAs a statement, `xs.push(v)` means `xs = push(xs, v)`, and costs "
          "the same "
          "however long the list is.",
      .parameters = {{.name = "xs", .kind = ParameterKind::any}, {.name = "v", .kind = ParameterKind::any}},
      .eager = push,
      .derivative = Derivative::none("makes a list"),
      .effects = {.may_fail = true},
      .samples = {{"list(1, 2), 3", "list(1, 2, 3)", "definition"}},
      .staging = Staging::structural,
      .example = R"(xs = list()
for i in range(3) { xs.push(i) }
print(xs, push(xs, 9))  # expect: list(0, 1, 2) list(0, 1, 2, 9))",
  };
  return entry;
}

const Entry& tree_map_entry() {
  static const Entry entry{
      .name = "tree_map",
      .doc =
          "The tree of what a function gives for each leaf.\n\n"
          "`tree_map(f, a, b)` walks several trees of one structure and calls f with the leaves that stand at the same "
          "place. Records "
          "match by names; the result has the structure of the first tree. Where trees have only integers, bools and "
          "texts "
          "at a place, and none, as gradients have there, the first tree's leaf stays and f is not called.",
      .parameters = {{.name = "f", .kind = ParameterKind::any}, {.name = "trees", .kind = ParameterKind::any}},
      .variadic = true,
      .variadic_at = 1,
      .eager = tree_map,
      .derivative = Derivative::none("calls a function, which has the derivative"),
      .effects = {.may_fail = true, .calls = true},
      .samples = {{"x -> 2 * x, {a: 1, b: (2, 3)}", "{a: 2, b: (4, 6)}", "definition"},
                  {"(x, y) -> x - y, {a: 1, b: 2}, {b: 10, a: 20}", "{a: -19, b: -8}", "definition"},
                  {"(x, y) -> x - y, {a: 1.5, b: [2, 3]}, {a: 0.5, b: none}", "{a: 1.0, b: [2, 3]}", "definition"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& tree_leaves_entry() {
  static const Entry entry{
      .name = "tree_leaves",
      .doc = "The leaves of a tree in order, as a list.",
      .parameters = {{.name = "tree", .kind = ParameterKind::any}},
      .eager = tree_leaves,
      .derivative = Derivative::none("makes a list"),
      .effects = {.may_fail = true},
      .samples = {{"{a: 1, b: (2, list(3))}", "list(1, 2, 3)", "definition"}, {"5", "list(5)", "definition"}},
      .staging = Staging::structural,
  };
  return entry;
}

Family general_trees_entries() {
  static const Entry* const entries[] = {&list_entry(), &push_entry(), &same_entry(), &tree_map_entry(),
                                         &tree_leaves_entry()};
  return entries;
}

}  // namespace covec::ops
