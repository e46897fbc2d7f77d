#include "stdlib/ops/general/lists.hpp"

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/general/family.hpp"
#include "stdlib/ops/general/general.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

size_t position(const Call& call) {
  const int64_t length = static_cast<int64_t>(call.args[0].list().size());
  const int64_t index = integer_of(call.args[1]);
  const std::optional<int64_t> place = place_of(index, length);
  if (!place) fail(message("item_range"), {std::to_string(index), "a list", std::to_string(length)}, {{1, ""}});
  return static_cast<size_t>(*place);
}

Value item(Builder&, Call& call) { return call.args[0].list().item(position(call)); }

Value set(Builder&, Call& call) {
  Value& xs = call.args[0];
  const size_t at = position(call);
  if (!xs.unique()) xs = make_list(xs.list().items());
  xs.list().set(at, std::move(call.args[2]));
  return std::move(xs);
}

Value slice(Builder&, Call& call) {
  const IndexSpec spec(call.args[1].i64());
  size_t next = 0;
  const auto part = [&](bool given) {
    return given ? std::optional<int64_t>(integer_of(call.rest[next++])) : std::nullopt;
  };
  const std::optional<int64_t> first = part(spec.has_start(0)), last = part(spec.has_stop(0));
  const int64_t step = part(spec.has_step(0)).value_or(1);
  Value& xs = call.args[0];
  const ListSlice some = ListSlice::of(static_cast<int64_t>(xs.list().size()), first, last, step);
  if (some.keeps_most(xs.list()) && xs.unique()) {
    some.keep(xs.list());
    return std::move(xs);
  }
  const std::vector<Value>& items = xs.list().items();
  std::vector<Value> taken;
  taken.reserve(static_cast<size_t>(some.count));
  for (int64_t i = 0; i < some.count; ++i) taken.push_back(items[static_cast<size_t>(some.start + i * some.step)]);
  return make_list(std::move(taken));
}

Value at(Builder&, Call& call) {
  const std::vector<Value>& items = call.args[0].list().items();
  const auto index = static_cast<uint64_t>(integer_of(call.args[1]));
  return index < items.size() ? items[static_cast<size_t>(index)] : call.args[2];
}

Value put(Builder&, Call& call) {
  Value& xs = call.args[0];
  const auto index = static_cast<size_t>(integer_of(call.args[1]));
  if (!xs.unique()) xs = make_list(xs.list().items());
  while (xs.list().items().size() <= index) xs.list().push(call.args[3]);
  xs.list().set(index, std::move(call.args[2]));
  return std::move(xs);
}

Value cut(Builder&, Call& call) {
  Value& xs = call.args[0];
  const auto count = static_cast<uint64_t>(integer_of(call.args[1]));
  const std::vector<Value>& items = xs.list().items();
  if (items.size() <= count) return std::move(xs);
  if (!xs.unique()) return make_list({items.begin(), items.begin() + static_cast<ptrdiff_t>(count)});
  xs.list().cut(static_cast<size_t>(count));
  return std::move(xs);
}

Value length(Builder&, Call& call) { return static_cast<int64_t>(call.args[0].list().size()); }

Entry list_operator(const char* name, const char* doc, std::vector<Parameter> parameters,
                    decltype(Entry::eager) eager) {
  return {.name = name,
          .doc = doc,
          .parameters = std::move(parameters),
          .eager = eager,
          .derivative = Derivative::none("works on a list"),
          .effects = {.may_fail = true},
          .internal = true,
          .staging = Staging::lists};
}

}  // namespace

ListSlice ListSlice::of(int64_t length, std::optional<int64_t> first, std::optional<int64_t> last, int64_t step) {
  const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? length : length - 1;
  const auto clamp = [&](std::optional<int64_t> given, int64_t otherwise) {
    if (!given) return otherwise;
    int64_t bound = *given;
    if (bound < 0) bound = bound < -length ? low : bound + length;
    return bound < low ? low : bound > high ? high : bound;
  };
  const int64_t start = clamp(first, step > 0 ? low : high), stop = clamp(last, step > 0 ? high : low);
  if (step > 0 ? start >= stop : start <= stop) return {0, 1, 0};
  const uint64_t distance = static_cast<uint64_t>(step > 0 ? stop - start : start - stop);
  const uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  return {start, step, static_cast<int64_t>((distance - 1) / stride + 1)};
}

bool ListSlice::keeps_most(const List& list) const {
  return step == 1 && 2 * count >= static_cast<int64_t>(list.size());
}

void ListSlice::keep(List& list) const {
  list.cut(static_cast<size_t>(start + count));
  list.drop_front(static_cast<size_t>(start));
}

const Entry& list_of_entry() {
  static const Entry entry = [] {
    const Parameter items{.name = "items", .kind = ParameterKind::any, .required = false};
    Entry some = list_operator("list_of", "A list of items of one type.", {items}, list_entry().eager);
    some.variadic = true;
    some.effects.may_fail = false;
    return some;
  }();
  return entry;
}

const Entry& list_push_entry() {
  static const Entry entry = list_operator("list_push", "The list with one more item at its end.",
                                           {any_parameter("xs"), any_parameter("item")}, push_entry().eager);
  return entry;
}

const Entry& list_item_entry() {
  static const Entry entry =
      list_operator("list_item", "An item of a list.", {any_parameter("xs"), any_parameter("index")}, item);
  return entry;
}

const Entry& list_set_entry() {
  static const Entry entry = list_operator("list_set", "The list with another item at a place.",
                                           {any_parameter("xs"), any_parameter("index"), any_parameter("item")}, set);
  return entry;
}

const Entry& list_slice_entry() {
  static const Entry entry = [] {
    Entry some =
        list_operator("list_slice", "Some items of a list.", {any_parameter("xs"), any_parameter("spec")}, slice);
    some.variadic = true;
    some.variadic_at = 1;
    return some;
  }();
  return entry;
}

const Entry& list_at_entry() {
  static const Entry entry = [] {
    Entry some = list_operator("list_at", "An item of a list, or what stands for one that is not there.",
                               {any_parameter("xs"), any_parameter("index"), any_parameter("otherwise")}, at);
    some.effects.may_fail = false;
    return some;
  }();
  return entry;
}

const Entry& list_put_entry() {
  static const Entry entry = [] {
    Entry some = list_operator(
        "list_put", "The list with another item at a place, made long enough.",
        {any_parameter("xs"), any_parameter("index"), any_parameter("item"), any_parameter("otherwise")}, put);
    some.effects.may_fail = false;
    return some;
  }();
  return entry;
}

const Entry& list_cut_entry() {
  static const Entry entry = [] {
    Entry some = list_operator("list_cut", "No more than the first items of a list.",
                               {any_parameter("xs"), any_parameter("count")}, cut);
    some.effects.may_fail = false;
    return some;
  }();
  return entry;
}

// Keeps its place: a variable that holds a list on some paths only must not be asked before it is known to.
const Entry& list_length_entry() {
  static const Entry entry = list_operator("list_length", "How many items a list has.", {any_parameter("xs")}, length);
  return entry;
}

Family general_lists_entries() {
  static const Entry* const entries[] = {&list_of_entry(),  &list_push_entry(),  &list_item_entry(),
                                         &list_set_entry(), &list_slice_entry(), &list_length_entry(),
                                         &list_at_entry(),  &list_put_entry(),   &list_cut_entry()};
  return entries;
}

}  // namespace covec::ops
