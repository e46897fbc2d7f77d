#include "stdlib/ops/lists.hpp"

#include "stdlib/ops/attributes.hpp"
#include "stdlib/ops/general.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

// An item's place; negative indices count from the end.
size_t position(const Call& call) {
  const int64_t length = static_cast<int64_t>(call.args[0].list().items.size());
  const int64_t index = integer_of(call.args[1]);
  const int64_t at = index < 0 ? index + length : index;
  if (at < 0 || at >= length) {
    fail(message("item_range"), {std::to_string(index), "a list", std::to_string(length)}, {{1, ""}});
  }
  return static_cast<size_t>(at);
}

Value item(Builder&, Call& call) { return call.args[0].list().items[position(call)]; }

Value set(Builder&, Call& call) {
  Value& xs = call.args[0];
  const size_t at = position(call);
  if (!xs.unique()) xs = make_list(xs.list().items);
  xs.list().items[at] = std::move(call.args[2]);
  return std::move(xs);
}

Value length(Builder&, Call& call) { return static_cast<int64_t>(call.args[0].list().items.size()); }

constexpr const char* no_tensor = "is a list's";

}  // namespace

const Entry& list_of_entry() {
  static const Entry entry{.name = "list_of",
                           .doc = "A list of items of one type.",
                           .parameters = {{.name = "items", .kind = ParameterKind::any, .required = false}},
                           .variadic = true,
                           .eager = list_entry().eager,
                           .derivative = Derivative::none(no_tensor),
                           .internal = true,
                           .staging = Staging::lists};
  return entry;
}

const Entry& list_push_entry() {
  static const Entry entry{.name = "list_push",
                           .doc = "The list with one more item at its end.",
                           .parameters = {any_parameter("xs"), any_parameter("item")},
                           .eager = push_entry().eager,
                           .derivative = Derivative::none(no_tensor),
                           .effects = {.may_fail = true},
                           .internal = true,
                           .staging = Staging::lists};
  return entry;
}

const Entry& list_item_entry() {
  static const Entry entry{.name = "list_item",
                           .doc = "An item of a list.",
                           .parameters = {any_parameter("xs"), any_parameter("index")},
                           .eager = item,
                           .derivative = Derivative::none(no_tensor),
                           .effects = {.may_fail = true},
                           .internal = true,
                           .staging = Staging::lists};
  return entry;
}

const Entry& list_set_entry() {
  static const Entry entry{.name = "list_set",
                           .doc = "The list with another item at a place.",
                           .parameters = {any_parameter("xs"), any_parameter("index"), any_parameter("item")},
                           .eager = set,
                           .derivative = Derivative::none(no_tensor),
                           .effects = {.may_fail = true},
                           .internal = true,
                           .staging = Staging::lists};
  return entry;
}

// Keeps its place: a variable that holds a list on some paths only must not be asked before it is known to.
const Entry& list_length_entry() {
  static const Entry entry{.name = "list_length",
                           .doc = "How many items a list has.",
                           .parameters = {any_parameter("xs")},
                           .eager = length,
                           .derivative = Derivative::none(no_tensor),
                           .effects = {.may_fail = true},
                           .internal = true,
                           .staging = Staging::lists};
  return entry;
}

}  // namespace covec::ops
