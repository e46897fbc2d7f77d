// Sorts and picks items of lists and tuples. Items are numbers, strings, tuples of them, or any items with keys that a
// function gives. The operators only rearrange values, so derivatives and batches pass through them.
#include <algorithm>
#include <cmath>

#include "stdlib/kernels/collect.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/contract/ordering.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/order/family.hpp"
#include "stdlib/ops/order/order.hpp"
#include "stdlib/ops/order/ordered.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/half.hpp"
#include "stdlib/value/map.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

bool is_row_of_items(const Value& value) { return value.is(ObjectKind::list) || value.is(ObjectKind::tuple); }

// The items of a list or tuple, or a tensor's parts along its first axis.
std::vector<Value> made_items(Builder& b, const Call& call) {
  Value& xs = call.args[0];
  if (xs.is(ObjectKind::sequence)) {
    std::vector<Value> items;
    kernels::collect(b.context(), xs.sequence().length(), items, [&](int64_t i) { return xs.sequence().at(b, i); });
    xs = make_list(items);
    return items;
  }
  const Value part = real_part(xs);
  if (!is_operand(part) || logical_type(part).shape.empty())
    fail(message("not_a_sequence"), {shown_name(call.entry), describe(xs)}, {{0, "this is " + describe(xs)}});
  const Dim length = logical_type(part).shape[0];
  if (!length.known()) fail_not_staged("how many items there are");
  std::vector<Value> items;
  IndexSpec spec;
  spec.push(IndexSpec::Item::at);
  for (int64_t i = 0; i < length.number(); ++i) {
    const Value at[] = {Value(i)};
    items.push_back(index_read(b, xs, Value(spec.packed()), at));
  }
  return items;
}

// Those of a list or tuple are where they are.
struct Items {
  Items(Builder& b, const Call& call) {
    Value& xs = call.args[0];
    if (has_named_children(xs)) xs = keys_of(xs);
    if (is_row_of_items(xs))
      all = *children(xs);
    else
      all = made = made_items(b, call);
  }
  std::vector<Value> made;
  std::span<const Value> all;
};

// Those at `places`, as a tensor's rows or as items of a list.
Value items_at(Builder& b, const Value& xs, std::span<const Value> items, const std::vector<int64_t>& places) {
  if (!is_row_of_items(xs)) {
    Value rows = make_tensor(b.pool(), Dtype::i64, {Dim(static_cast<int64_t>(places.size()))});
    std::copy(places.begin(), places.end(), rows.tensor().as<int64_t>());
    IndexSpec spec;
    spec.push(IndexSpec::Item::at);
    return index_read(b, xs, Value(spec.packed()), {&rows, 1});
  }
  std::vector<Value> chosen;
  chosen.reserve(places.size());
  for (const int64_t place : places) chosen.push_back(items[static_cast<size_t>(place)]);
  return make_list(std::move(chosen));
}

// Numbers in the order of a complex one, of which these are the parts: see complex_positions.
Value complex_key(const Value& re, const Value& im) {
  const auto is_nan = [](const Value& x) { return std::isnan(real_at(x.scalar_dtype(), x.scalar_data())); };
  const int64_t last = is_nan(re) ? 2 : is_nan(im) ? 1 : 0;
  return make_tuple({Value(last), re, im});
}

// A number, string or tuple of them that the order is by: the item itself, or what the call's function gives.
Value sort_key(const Call& call, const Value& value) {
  if (value.is_symbol()) fail_not_staged("the order of items");
  if (value.is_traced()) return sort_key(call, concrete(value));
  if (value.is_scalar() || value.is(ObjectKind::string)) return value;
  if (is_complex(value) && &call.entry == &sort_items_entry() && logical_type(real_part(value)).shape.empty())
    return complex_key(sort_key(call, complex_of(value).re()), sort_key(call, complex_of(value).im()));
  if (!is_row_of_items(value)) {
    const std::string name = shown_name(call.entry);
    if (!call.args[3].is_none()) fail(message("sort_key"), {name, describe(value)});
    fail(message("sort_kind"), {name, describe(value)}, {}, "give " + name + " a function, by=f");
  }
  std::vector<Value> parts;
  for (const Value& part : *children(value)) parts.push_back(sort_key(call, part));
  return make_tuple(std::move(parts));
}

// What the order of the items is by: they themselves, or what a function gives.
std::vector<Value> sort_keys(Builder& b, const Call& call, std::span<const Value> items) {
  const Value& by = call.args[3];
  std::vector<Value> keys;
  keys.reserve(items.size());
  for (const Value& item : items) {
    Value argument[] = {item};
    keys.push_back(by.is_none() ? item : by.function().call(b, argument, {}));
  }
  const bool complex = std::ranges::any_of(keys, is_complex);  // real numbers are complex ones then, too
  for (Value& key : keys) {
    if (complex && is_operand(key) && !is_complex(key)) key = complex_value(b, key, imaginary_part(b, key));
    key = sort_key(call, key);
  }
  return keys;
}

bool are_in_order(const std::vector<int64_t>& places) {
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

// In the order of items by themselves, or by what a function gives: `by`, at place 3 of each builtin that orders them.
// A list that is in order is the result itself.
Value ordered_items(Builder& b, Call& call, bool descending) {
  const Items items(b, call);
  const Value& by = call.args[3];
  if (!by.is_none() && !by.is(ObjectKind::function)) {
    fail_attribute(call, 3, "a function",
                   by.is(ObjectKind::string) ? "write by=r -> r." + by.string().text + ", or for maps by=m -> m[" +
                                                   quoted(by.string().text) + "]"
                                             : "");
  }
  const bool plain = by.is_none() && are_plain_keys(items.all);
  const std::vector<Value> keys = plain ? std::vector<Value>() : sort_keys(b, call, items.all);
  const std::vector<int64_t> places = ordered_places(b, plain ? items.all : std::span<const Value>(keys), descending);
  if (call.args[0].is(ObjectKind::list) && are_in_order(places)) return call.args[0];
  return items_at(b, call.args[0], items.all, places);
}

Value sort_items(Builder& b, Call& call) { return ordered_items(b, call, flag_argument(call, 2)); }

// Of the items in order the first: equal ones stay in order.
template <bool largest>
Value extreme_item(Builder& b, Call& call) {
  const bool of_comprehension = call.args[1].is(ObjectKind::tuple);  // it names the axes of its clauses
  if (!call.args[1].is_none() && !of_comprehension) fail_attribute(call, 1, "left out when items are compared");
  if (flag_argument(call, 2)) fail_attribute(call, 2, "left out when items are compared");
  const Value sorted = ordered_items(b, call, largest);
  const bool listed = sorted.is(ObjectKind::list);
  if (listed ? children(sorted)->empty() : logical_type(sorted).shape[0] == Dim(0))
    fail(message("reduce_empty"), {shown_name(call.entry)});
  if (listed) return children(sorted)->front();
  IndexSpec first;
  first.push(IndexSpec::Item::at);
  const Value zero(int64_t{0});
  return index_read(b, sorted, Value(first.packed()), {&zero, 1});
}

template <bool largest>
const Entry& extreme_item_entry() {
  static const Entry entry{
      .name = largest ? "max_item" : "min_item",
      .doc = "The first of the items of a list in an order.",
      .parameters = extreme_parameters(any_parameter("x")),
      .eager = extreme_item<largest>,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true, .calls = true},
      .internal = true,
      .staging = Staging::structural,
      .part_of = largest ? "max" : "min",
  };
  return entry;
}

bool is_kept(Builder& b, Callable& condition, const Value& item) {
  Value argument[] = {item};
  Value kept = condition.call(b, argument, {});
  if (kept.is_symbol()) fail_not_staged("which items filter keeps");
  if (kept.is_traced()) kept = concrete(kept);
  if (kept.tag() != Tag::boolean) fail(message("filter_condition"), {describe(kept)});
  return kept.boolean();
}

Value filter(Builder& b, Call& call) {
  if (!call.args[1].is(ObjectKind::function)) {
    fail_attribute(call, 1, "a function", call.args[0].is(ObjectKind::function) ? "write filter(xs, f)" : "");
  }
  const Items items(b, call);
  std::vector<int64_t> places;
  for (size_t i = 0; i < items.all.size(); ++i) {
    if (is_kept(b, call.args[1].function(), items.all[i])) places.push_back(static_cast<int64_t>(i));
  }
  return items_at(b, call.args[0], items.all, places);
}

}  // namespace

const Entry& sort_items_entry() {
  static const Entry entry{
      .name = "sort_items",
      .doc = "The items of a list in order.",
      .parameters = {any_parameter("x"), attribute("axis", int64_t{-1}), attribute("descending", false),
                     ordering_function()},
      .eager = sort_items,
      .complex = sort_items,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true, .calls = true},
      .internal = true,
      .staging = Staging::structural,
      .part_of = "sort",
  };
  return entry;
}

const Entry& max_item_entry() { return extreme_item_entry<true>(); }
const Entry& min_item_entry() { return extreme_item_entry<false>(); }

const Entry* sort_instead(std::span<const Value> args, uint32_t) {
  const bool by = args.size() > 3 && !args[3].is_none() && !args[3].is_unbound();
  const bool items = !args.empty() && (is_row_of_items(args[0]) || has_named_children(args[0]));
  return by || items ? &sort_items_entry() : nullptr;
}

const Entry& filter_entry() {
  static const Entry entry{
      .name = "filter",
      .doc =
          "The items x of a list or tuple for which `f(x)` is true, as a list; of a tensor its parts along the first "
          "axis, as a tensor (a mask, `x[x > 0]`, is faster).",
      .parameters = {any_parameter("xs"), any_parameter("f")},
      .eager = filter,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true, .calls = true},
      .samples = {{"list(3, -1, 2), x -> x > 0", "list(3, 2)", "python"},
                  {"(\"a\", \"bb\"), x -> len(x) > 1", "list(\"bb\")", "python"},
                  {"[3.0, -1.0, 2.0], x -> x > 0", "[3.0, 2.0]", "numpy"}},
      .staging = Staging::structural,
  };
  return entry;
}

Family order_items_entries() {
  static const Entry* const entries[] = {&sort_items_entry(), &max_item_entry(), &min_item_entry(), &filter_entry()};
  return entries;
}

}  // namespace covec::ops
