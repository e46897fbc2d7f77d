// Trees in collectives: each leaf takes part by itself, and says what tree it stands in, so that ranks compare that,
// too.
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/ranks/family.hpp"
#include "stdlib/ops/ranks/leaf.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

constexpr unsigned deepest_structure = 5000;  // as map_leaves

// `{w, b: (., none)}`: types of leaves are not part of it.
void append_structure(std::string& text, const Value& value, unsigned depth) {
  if (depth > deepest_structure) fail(message("too_deep"), {std::to_string(deepest_structure)});
  if (!is_tree(value)) {
    text += value.is_none() ? "none" : ".";
    return;
  }
  if (is_complex(value)) {
    text += "complex";
    return;
  }
  const bool has_names = has_named_children(value);
  text += has_names ? "{" : value.is(ObjectKind::list) ? "list(" : "(";
  const std::vector<Value>& items = *children(value);
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += ", ";
    text += child_label(value, i);
    append_structure(text, items[i], depth + 1);
  }
  text += has_names ? "}" : ")";
}

}  // namespace

std::string structure_of(const Value& tree) {
  std::string text;
  append_structure(text, tree, 0);
  return text;
}

namespace {

Value each_leaf_of(Builder& b, Call& call) {
  const Value structure = make_string(is_container(call.args[1]) ? structure_of(call.args[1]) : "");
  Callable& f = call.args[0].function();
  return map_containers({&call.args[1], 1}, [&](std::span<const Value> leaf) {
    if (leaf[0].is_none()) return Value();
    Value given[] = {leaf[0], structure};
    return f.call(b, given, {});
  });
}

}  // namespace

const Entry& parallel_tree_entry() {
  static const Entry entry{
      .name = "_parallel_tree",
      .doc = "The tree of f(leaf, structure) for all leaves that are not none.",
      .parameters = {any_parameter("f"), any_parameter("tree")},
      .eager = each_leaf_of,
      .derivative = Derivative::none("calls a function, which has the derivative"),
      .effects = {.may_fail = true, .calls = true},
      .internal = true,
      .staging = Staging::structural,
      .part_of = "parallel",
  };
  return entry;
}

}  // namespace covec::ops
