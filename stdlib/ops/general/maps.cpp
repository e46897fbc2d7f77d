// Maps, and reading records by name: making, querying, removing. If only the run knows a key, the statement is
// interpreted. Under vmap each example looks up its own key.
#include <algorithm>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/general/family.hpp"
#include "stdlib/ops/general/general.hpp"
#include "stdlib/ops/general/lists.hpp"
#include "stdlib/ops/general/maps.hpp"
#include "stdlib/tensor/equal.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/value/map.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

Value key_at(const Value& value, unsigned depth) {
  constexpr unsigned deepest = 100;  // tuples within tuples in a key
  if (depth > deepest) fail(message("too_deep"), {std::to_string(deepest)});
  if (value.is_symbol()) fail_not_staged("the key of a map");
  if (value.is_traced()) return key_at(concrete(value), depth);
  if (value.is(ObjectKind::tuple)) {
    std::vector<Value> parts;
    for (const Value& part : value.tuple().items) parts.push_back(key_at(part, depth + 1));
    return make_tuple(std::move(parts));
  }
  if (!is_key(value)) fail(message("key_kind"), {describe(value)});
  return value;
}

}  // namespace

Value key_of(const Value& value) { return key_at(value, 0); }

void spread_into(Map& map, const Value& from) {
  if (!from.is(ObjectKind::map)) fail(message("spread_into_map"), {describe(from)});
  map.set_all(map_of(from));
}

std::string some_keys(const Value& tree) {
  constexpr size_t most = 8;  // keys that an error shows
  const Value keys = keys_of(tree);
  const std::vector<Value>& all = keys.list().items();
  std::string text;
  for (size_t i = 0; i < std::min(most, all.size()); ++i) text += (i > 0 ? ", " : "") + key_text(all[i]);
  if (all.empty()) return "it is empty";
  return "it has " + text + (all.size() > most ? ", …" : "");
}

namespace {

const Value& named_argument(const Call& call) {
  if (!has_named_children(call.args[0])) {
    const bool list = call.args[0].is(ObjectKind::list);
    const bool removes = call.entry.name == "remove";
    fail_attribute(call, 0, "a map or a record",
                   !list     ? ""
                   : removes ? "write xs.pop(i), or xs = list(x for x in xs if x != item)"
                             : "the items of a list are numbered: write xs.pop(i), xs[i]");
  }
  return call.args[0];
}

// What stands in a map or record under that key; nullptr for nothing.
const Value* find_in(const Value& tree, const Value& key) {
  if (tree.is(ObjectKind::map)) return map_of(tree).find(key_of(key));
  const Value name = key_of(key);
  return name.is(ObjectKind::string) ? tree.record().find(name.string().text) : nullptr;
}

// The map of an argument, not shared with anybody.
Value own_map(Call& call) {
  Value tree = std::move(call.args[0]);
  if (!tree.is(ObjectKind::map)) {
    call.args[0] = std::move(tree);
    fail_attribute(call, 0, "a map");
  }
  if (tree.unique()) return tree;
  return make_map(map_of(tree).keys(), map_of(tree).values());
}

[[noreturn]] void no_such_key(const Value& tree, const Value& key) {
  const Message& row = tree.is(ObjectKind::map) ? message("key_missing") : message("no_key");
  fail(row, {key_text(key_of(key))}, {}, some_keys(tree));
}

Value keys(Builder&, Call& call) { return keys_of(named_argument(call)); }

Value values(Builder&, Call& call) { return make_list(*children(named_argument(call))); }

Value items(Builder&, Call& call) {
  const Value names = keys_of(named_argument(call));
  const std::vector<Value>&all = names.list().items(), &parts = *children(call.args[0]);
  std::vector<Value> pairs;
  for (size_t i = 0; i < all.size(); ++i) pairs.push_back(make_tuple({all[i], parts[i]}));
  return make_list(std::move(pairs));
}

Value has(Builder&, Call& call) { return find_in(named_argument(call), call.args[1]) != nullptr; }

Value get(Builder&, Call& call) {
  const Value& tree = named_argument(call);
  if (const Value* found = find_in(tree, call.args[1])) return *found;
  if (call.args[2].is_unbound()) no_such_key(tree, call.args[1]);
  return call.args[2];
}

Value remove(Builder&, Call& call) {
  named_argument(call);
  const Value key = key_of(call.args[1]);
  if (call.args[0].is(ObjectKind::map) && map_of(call.args[0]).find(key) == nullptr) no_such_key(call.args[0], key);
  Value tree = own_map(call);
  map_of(tree).take(key);
  return tree;
}

// The last item of a list, or what a map has under a key: what is left, and that.
Value pop(Builder&, Call& call) {
  if (!call.args[0].is(ObjectKind::list)) {
    const Value key = call.args[1].is_none() ? Value() : key_of(call.args[1]);
    if (!call.args[0].is(ObjectKind::map)) fail_attribute(call, 0, "a list or a map");
    if (call.args[1].is_none()) fail(message("argument_missing"), {"pop", "key"});
    if (map_of(call.args[0]).find(key) == nullptr) no_such_key(call.args[0], key);
    Value tree = own_map(call);
    Value value = map_of(tree).take(key);
    return make_tuple({std::move(tree), std::move(value)});
  }
  const auto length = static_cast<int64_t>(call.args[0].list().size());
  if (length == 0 && call.args[1].is_none()) fail(message("pop_empty"));
  const int64_t index = call.args[1].is_none() ? -1 : integer_argument(call, 1);
  const std::optional<int64_t> place = place_of(index, length);
  if (!place) fail(message("item_range"), {std::to_string(index), "a list", std::to_string(length)}, {{1, ""}});
  Value xs = std::move(call.args[0]);
  if (!xs.unique()) xs = make_list(xs.list().items());
  Value value = xs.list().take(static_cast<size_t>(*place));
  return make_tuple({std::move(xs), std::move(value)});
}

// --- making ---

void add_pair(Map& map, const Value& pair) {
  const std::vector<Value>* parts = pair.is(ObjectKind::tuple) || pair.is(ObjectKind::list) ? children(pair) : nullptr;
  if (parts == nullptr || parts->size() != 2) fail(message("map_pairs"), {describe(pair)});
  map.set(key_of((*parts)[0]), (*parts)[1]);
}

Value map(Builder& b, Call& call) {
  Value out = make_map({}, {});
  const Value& pairs = call.args[0];
  if (pairs.is_unbound() || pairs.is_none()) return out;
  if (pairs.is(ObjectKind::map)) return pairs;
  if (pairs.is(ObjectKind::record)) {
    const Value names = keys_of(pairs);
    return make_map(names.list().items(), pairs.record().items);
  }
  if (pairs.is(ObjectKind::function))
    fail(message("map_pairs"), {describe(pairs)}, {{0, ""}}, "write [f(x) for x in xs], or list(f(x) for x in xs)");
  if (pairs.is(ObjectKind::sequence)) {
    for (int64_t i = 0; i < pairs.sequence().length(); ++i) add_pair(map_of(out), pairs.sequence().at(b, i));
    return out;
  }
  if (!pairs.is(ObjectKind::tuple) && !pairs.is(ObjectKind::list)) fail(message("map_pairs"), {describe(pairs)});
  for (const Value& pair : *children(pairs)) add_pair(map_of(out), pair);
  return out;
}

// Keys and values in turn; where a key is none the value is a map whose own follow.
Value make_map_of(Builder&, Call& call) {
  Value out = make_map({}, {});
  for (size_t i = 0; i + 1 < call.rest.size(); i += 2) {
    if (call.rest[i].is_none())
      spread_into(map_of(out), call.rest[i + 1]);
    else
      map_of(out).set(key_of(call.rest[i]), call.rest[i + 1]);
  }
  return out;
}

// --- in ---

// Other kinds are just unequal.
bool is_item(const std::vector<Value>& items, const Value& item) {
  return std::any_of(items.begin(), items.end(), [&](const Value& one) { return values_equal(one, item); });
}

Value in_tensor(Builder& b, const Value& item, const Value& tensor) {
  const Value& part = shaped_part(item);
  if (!is_operand(part) || !logical_type(part).shape.empty()) fail(message("in_tensor"), {describe(item)});
  Value equal = call(b, handles().equal, {tensor, item});
  return call(b, handles().any, {std::move(equal), Value(), Value(false)});
}

bool in_range(const Value& item, const Range& range) {
  if (!is_integer(item) || range.length() == 0) return false;
  const int64_t number = integer_of(item), first = range.start, last = range.number(range.length() - 1);
  const auto distance = static_cast<uint64_t>(number) - static_cast<uint64_t>(first);
  const auto step = static_cast<uint64_t>(range.stride);
  if (number < std::min(first, last) || number > std::max(first, last)) return false;
  return range.stride > 0 ? distance % step == 0 : (0 - distance) % (0 - step) == 0;
}

Value in(Builder& b, Call& call) {
  const Value &item = call.args[0], &whole = call.args[1];
  if (has_named_children(whole)) return find_in(whole, item) != nullptr;
  if (whole.is(ObjectKind::string)) {
    if (!item.is(ObjectKind::string)) fail(message("in_string"), {describe(item)}, {{0, ""}});
    return find_text(whole.string().text, item.string().text) != std::string::npos;
  }
  if (whole.is(ObjectKind::tuple) || whole.is(ObjectKind::list)) {
    if (!b.is_eager() && (holds_symbols(item) || holds_symbols(whole))) fail_not_staged("whether it contains an item");
    return is_item(*children(whole), item);
  }
  if (const auto* range = whole.is(ObjectKind::sequence) ? dynamic_cast<const Range*>(&whole.sequence()) : nullptr) {
    if (item.is_symbol()) fail_not_staged("whether a number is in a range");
    return in_range(concrete(item), *range);
  }
  const Value& part = shaped_part(whole);
  if (!is_operand(part) || logical_type(part).shape.empty()) fail(message("in_kind"), {describe(whole)}, {{1, ""}});
  return in_tensor(b, item, whole);
}

}  // namespace

const Entry& map_entry() {
  static const Entry entry{
      .name = "map",
      .doc =
          "A map of pairs: `map((k, f(k)) for k in ks)`, `map(list((\"a\", 1)))`; `map()` is empty. The last of equal "
          "keys wins.\n\nA literal is written `{\"a\": 1, -3: x, (k): y}`. Keys are strings, integers, bools and "
          "tuples "
          "of these. `d[k]`, `d[k] = v`, `k in d`, `for k in d`; a record becomes a map of its fields.",
      .parameters = {{.name = "pairs", .kind = ParameterKind::any, .required = false}},
      .eager = map,
      .derivative = Derivative::none("makes a map"),
      .effects = {.may_fail = true},
      .samples = {{"list((\"a\", 1), (\"b\", 2))", "{\"a\": 1, \"b\": 2}", "python"}},
      .staging = Staging::structural,
      .example = R"(d = map((n, n^2) for n in range(3))
d["x"] = 0.5
print(d, d[2])  # expect: {0: 0, 1: 1, 2: 4, "x": 0.5} 4)",
  };
  return entry;
}

const Entry& keys_entry() {
  static const Entry entry{
      .name = "keys",
      .doc = "The keys of a map, or the names of a record's fields, as a list in order.",
      .parameters = {{.name = "d", .kind = ParameterKind::any}},
      .eager = keys,
      .derivative = Derivative::none("gives keys"),
      .effects = {.may_fail = true},
      .samples = {{"{w: 1, b: 2}", "list(\"w\", \"b\")", "python"}, {"{3: 1, \"b\": 2}", "list(3, \"b\")", "python"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& values_entry() {
  static const Entry entry{
      .name = "values",
      .doc = "The values of a map or record, as a list in order.",
      .parameters = {{.name = "d", .kind = ParameterKind::any}},
      .eager = values,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{"{\"a\": 1, \"b\": 2}", "list(1, 2)", "python"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& items_entry() {
  static const Entry entry{
      .name = "items",
      .doc = "The pairs of key and value of a map or record, as a list: `for k, v in items(d) { }`.",
      .parameters = {{.name = "d", .kind = ParameterKind::any}},
      .eager = items,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{"{\"a\": 1, 2: 3}", "list((\"a\", 1), (2, 3))", "python"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& has_entry() {
  static const Entry entry{
      .name = "has",
      .doc = "Whether a map has that key, or a record a field of that name: `k in d`.",
      .parameters = {{.name = "d", .kind = ParameterKind::any}, {.name = "key", .kind = ParameterKind::any}},
      .eager = has,
      .derivative = Derivative::none("gives a bool"),
      .effects = {.may_fail = true},
      .samples = {{"{w: 1, b: 2}, \"b\"", "true", "python"}, {"{w: 1}, \"x\"", "false", "python"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& get_entry() {
  static const Entry entry{
      .name = "get",
      .doc =
          "What a map has under a key, or a record in a field, and `default` where there is nothing (without it an "
          "error).\n\nOf a record it is what `record.name` gives, for names that come from a file or are no "
          "identifiers.",
      .parameters = {{.name = "d", .kind = ParameterKind::any},
                     {.name = "key", .kind = ParameterKind::any},
                     {.name = "default", .kind = ParameterKind::any, .required = false, .fallback = Value::unbound()}},
      .eager = get,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{"{w: 1, b: 2}, \"b\"", "2", "python"}, {"{\"a\": 1}, \"z\", 0", "0", "python"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& remove_entry() {
  static const Entry entry{
      .name = "remove",
      .doc =
          "The map without a key.\n\nAs a statement, `d.remove(k)` means `d = remove(d, k)`, and `v = d.pop(k)` takes "
          "the "
          "value out.",
      .parameters = {{.name = "d", .kind = ParameterKind::any}, {.name = "key", .kind = ParameterKind::any}},
      .eager = remove,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{"{\"a\": 1, \"b\": 2}, \"a\"", "{\"b\": 2}", "python"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& pop_entry() {
  static const Entry entry{
      .name = "pop",
      .doc =
          "Takes the last item out of a list (or the one at a place), or a key out of a map: a tuple of what is left "
          "and "
          "what was taken.\n\nAs a statement, `v = xs.pop()` means `xs, v = pop(xs)`, in place.",
      .parameters = {{.name = "xs", .kind = ParameterKind::any},
                     {.name = "key", .kind = ParameterKind::any, .required = false, .fallback = {}}},
      .eager = pop,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{"list(1, 2)", "(list(1), 2)", "definition"},
                  {"{\"a\": 1, \"b\": 2}, \"a\"", "({\"b\": 2}, 1)", "definition"}},
      .staging = Staging::structural,
      .example = R"(xs = list(1, 2, 3)
v = xs.pop()
print(v, xs)  # expect: 3 list(1, 2))",
  };
  return entry;
}

const Entry& make_map_entry() {
  static const Entry entry{
      .name = "map_literal",
      .doc = "{key: value, …}",
      .parameters = {{.name = "items", .kind = ParameterKind::any, .required = false}},
      .variadic = true,
      .eager = make_map_of,
      .derivative = Derivative::none("makes a map"),
      .effects = {.may_fail = true},
      .internal = true,
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& in_entry() {
  static const Entry entry{
      .name = "in",
      .doc = "k in x: a key of a map or record, part of a string, an item, an element of a tensor.",
      .parameters = {{.name = "item", .kind = ParameterKind::any}, {.name = "whole", .kind = ParameterKind::any}},
      .eager = in,
      .derivative = Derivative::none("gives a bool"),
      .effects = {.may_fail = true},
      .internal = true,
      .staging = Staging::structural,
  };
  return entry;
}

Family general_maps_entries() {
  static const Entry* const entries[] = {&map_entry(), &keys_entry(), &values_entry(), &items_entry(),    &has_entry(),
                                         &get_entry(), &pop_entry(),  &remove_entry(), &make_map_entry(), &in_entry()};
  return entries;
}

}  // namespace covec::ops
