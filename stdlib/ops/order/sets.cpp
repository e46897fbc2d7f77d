// unique, isin, union, intersect and setdiff: of tensors, made of sorts and searches, and of lists of texts.
#include <algorithm>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/complex.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/order/family.hpp"
#include "stdlib/ops/order/order.hpp"
#include "stdlib/ops/order/ordered.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

// --- texts ---

bool is_text(const Value& value) { return value.is(ObjectKind::string); }

bool is_row_of_texts(const Value& value) {
  if (!value.is(ObjectKind::list) && !value.is(ObjectKind::tuple)) return false;
  const std::vector<Value>& items = *children(value);
  return std::all_of(items.begin(), items.end(), is_text);
}

// Whether items are meant that only the run has.
void require_items_now(const Value& value) {
  if (is_run_list(value)) fail_not_staged("the items of a list");
}

bool is_empty_tensor(const Value& value) { return value.is_tensor() && value.tensor().size() == 0; }

// `[]` is a tensor, and a list without texts beside one with some. Texts beside something else are an error.
bool are_of_texts(Call& call) {
  bool any = false, all = true;
  for (const Value& arg : call.args) {
    require_items_now(arg);
    any |= is_row_of_texts(arg);
  }
  for (Value& arg : call.args) {
    if (any && is_empty_tensor(arg)) arg = make_list({});
    if (any && arg.is_symbol()) fail_not_staged("the items of a list");
    all &= is_row_of_texts(arg);
  }
  if (any && !all) {
    const unsigned other = is_row_of_texts(call.args[0]) ? 1 : 0;
    const std::string must_be = "a list of texts, as " + std::string(call.entry.parameters[1 - other].name) + " is";
    fail_attribute(call, other, must_be);
  }
  return any;
}

struct DifferentTexts {
  std::vector<Value> texts;
  std::vector<int64_t> counts, numbers;  // how often each is there; which of them each item is
};

DifferentTexts different_texts(Builder& builder, const Value& list) {
  const std::vector<Value>& items = *children(list);
  DifferentTexts found;
  found.numbers.resize(items.size());
  for (const int64_t place : ordered_places(builder, items, false)) {
    const Value& item = items[static_cast<size_t>(place)];
    if (found.texts.empty() || found.texts.back().string().text != item.string().text) {
      found.texts.push_back(item);
      found.counts.push_back(0);
    }
    ++found.counts.back();
    found.numbers[static_cast<size_t>(place)] = static_cast<int64_t>(found.texts.size()) - 1;
  }
  return found;
}

bool comes_before(const Value& a, const Value& b) { return a.string().text < b.string().text; }

bool holds_text(const std::vector<Value>& texts, const Value& text) {
  return std::binary_search(texts.begin(), texts.end(), text, comes_before);
}

Value vector_of(Builder& builder, const std::vector<int64_t>& numbers) {
  Value vector = make_tensor(builder.pool(), Dtype::i64, {Dim(static_cast<int64_t>(numbers.size()))});
  std::copy(numbers.begin(), numbers.end(), vector.tensor().as<int64_t>());
  return vector;
}

// --- tensors ---

// The elements where the mask is true: how many there are only the run knows.
Value where_true(Builder& builder, Value x, const Value& mask) {
  IndexSpec spec;
  spec.push(IndexSpec::Item::at);
  return index_read(builder, std::move(x), Value(spec.packed()), {&mask, 1});
}

Value sorted_row(Builder& builder, Value x) {
  return ops::call(builder, sort_entry(), {flatten(builder, std::move(x)), Value(int64_t{0}), Value(false)});
}

Value starts_of(Builder& builder, const Value& sorted) { return ops::call(builder, starts_entry(), {sorted}); }

Value different(Builder& builder, Value sorted) {
  const Value starts = starts_of(builder, sorted);
  return where_true(builder, std::move(sorted), starts);
}

// How many equal elements begin at each start: as many as there are up to the next.
Value lengths(Builder& builder, const Value& starts) {
  Steps steps(builder);
  const Value size = builder.extent(logical_type(starts).shape[0]);
  const Value places = steps.call(handles().arange, {size, Value(), Value(), Value()});
  const Value first = where_true(builder, places, starts);
  Value ends[] = {steps.neighbours(first, 0).after, reshape(builder, size, {Dim(1)})};
  return steps.sub(concat(builder, ends, 0), first);
}

Value places_in(Steps& steps, const Value& sorted, const Value& x, const char* side) {
  return steps.call(searchsorted_entry(), {constant_of(sorted), constant_of(x), make_string(side)});
}

// Whether each element of x is among numbers in order. nan is one number.
Value is_among(Steps& steps, const Value& sorted, const Value& x) {
  return steps.less(places_in(steps, sorted, x, "left"), places_in(steps, sorted, x, "right"));
}

// --- unique ---

constexpr unsigned of_counts = 1, of_inverse = 2;  // operand numbers, in the order of unique's parameters

Value values_and(const Call& call, Value values, FunctionRef<Value()> inverse, FunctionRef<Value()> counts) {
  const bool numbers = flag_argument(call, of_inverse), times = flag_argument(call, of_counts);
  if (!numbers && !times) return values;
  std::vector<Value> all{std::move(values)};
  if (numbers) all.push_back(inverse());
  if (times) all.push_back(counts());
  return make_tuple(std::move(all));
}

Value unique_eager(Builder& builder, Call& call) {
  require_items_now(call.args[0]);
  if (is_row_of_texts(call.args[0])) {
    const DifferentTexts found = different_texts(builder, call.args[0]);
    return values_and(
        call, make_list(found.texts), [&] { return vector_of(builder, found.numbers); },
        [&] { return vector_of(builder, found.counts); });
  }
  Steps steps(builder);
  require_operand(builder, call, 0);
  const Value sorted = sorted_row(builder, call.args[0]), starts = starts_of(builder, sorted);
  const Value values = where_true(builder, sorted, starts);
  return values_and(
      call, values, [&] { return places_in(steps, values, call.args[0], "left"); },
      [&] { return lengths(builder, starts); });
}

// --- of two ---

struct Both {
  Value a, b;
};

// Two tensors as rows in order, each element once.
Both rows_of_both(Builder& builder, Call& call) {
  for (unsigned i = 0; i < 2; ++i) require_operand(builder, call, i);
  const auto row = [&](unsigned i) { return different(builder, sorted_row(builder, call.args[i])); };
  return {row(0), row(1)};
}

Value union_eager(Builder& builder, Call& call) {
  if (are_of_texts(call)) {
    std::vector<Value> all = *children(call.args[0]);
    const std::vector<Value>& more = *children(call.args[1]);
    all.insert(all.end(), more.begin(), more.end());
    return make_list(different_texts(builder, make_list(std::move(all))).texts);
  }
  for (unsigned i = 0; i < 2; ++i) require_operand(builder, call, i);
  Value rows[] = {flatten(builder, call.args[0]), flatten(builder, call.args[1])};
  return different(builder, sorted_row(builder, concat(builder, rows, 0)));
}

// The different elements of the first that are among those of the second, or are not.
Value kept(Builder& builder, Call& call, bool among) {
  if (are_of_texts(call)) {
    const std::vector<Value> texts = different_texts(builder, call.args[1]).texts;
    std::vector<Value> kept;
    for (const Value& text : different_texts(builder, call.args[0]).texts) {
      if (holds_text(texts, text) == among) kept.push_back(text);
    }
    return make_list(std::move(kept));
  }
  Steps steps(builder);
  const auto [a, b] = rows_of_both(builder, call);
  const Value found = is_among(steps, b, a);
  const Value chosen = where_true(builder, a, among ? found : steps.inverse(found));
  const PromotionOperand types[] = {{logical_type(a).dtype, OperandClass::tensor},
                                    {logical_type(b).dtype, OperandClass::tensor}};
  return among ? steps.cast(chosen, promote(types)) : chosen;
}

bool is_of_examples(const Value& value) {
  for (const Value* at = &value; at->is_traced(); at = &at->traced().primal) {
    if (at->traced().trace == TraceKind::batch) return true;
  }
  return false;
}

// Whether elements equal the number that stands where they would: behind the last one of any kind, which does not
// count.
Value equals_one_of(Builder& builder, const Value& sorted, const Value& x) {
  Steps steps(builder);
  const Type type = logical_type(sorted);
  const Value place = places_in(steps, sorted, x, "left"), last = builder.extent(type.shape[0]);
  Value parts[] = {sorted, zeros(builder, {type.dtype, {Dim(1)}})};
  const Value found = steps.take(concat(builder, parts, 0), 0, place);
  return steps.both(steps.less(place, last), steps.equal(found, x));
}

// nan is no number that equals another.
Value isin_eager(Builder& builder, Call& call) {
  if (is_text(call.args[0])) {
    Value args[] = {make_list({call.args[0]}), call.args[1]};
    return Steps(builder).take(ops::call(builder, call.entry, args), 0, Value(int64_t{0}));
  }
  if (are_of_texts(call)) {
    const std::vector<Value> texts = different_texts(builder, call.args[1]).texts;
    const std::vector<Value>& items = *children(call.args[0]);
    Value result = make_tensor(builder.pool(), Dtype::boolean, {Dim(static_cast<int64_t>(items.size()))});
    std::transform(items.begin(), items.end(), result.tensor().as<uint8_t>(),
                   [&](const Value& item) { return holds_text(texts, item); });
    return result;
  }
  for (unsigned i = 0; i < 2; ++i) require_operand(builder, call, i);
  Value sorted = sorted_row(builder, constant_of(call.args[1]));
  if (!is_of_examples(sorted)) sorted = different(builder, std::move(sorted));  // which examples would have apart
  return equals_one_of(builder, sorted, constant_of(call.args[0]));
}

// Moving elements would act on both parts, each by itself.
Value refuse_complex(Builder&, Call& call) { fail_complex(call, is_complex(call.args[0]) ? 0 : 1); }

std::vector<Parameter> both_parameters() { return {any_parameter("a"), any_parameter("b")}; }

const Entry& union_entry() {
  static const Entry entry{
      .name = "union",
      .doc =
          "The elements that are in `a` or in `b`, each once, ascending: of tensors a tensor of rank 1, of lists of "
          "texts a list. nan is one value.",
      .parameters = both_parameters(),
      .carries = true,
      .eager = union_eager,
      .complex = refuse_complex,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[3, 1, 3], [[2, 1], [5, 5]]", .expected = "[1, 2, 3, 5]"},
                  {.arguments = "[1.5, nan], [nan, 1.0]", .expected = "[1.0, 1.5, nan]"},
                  {.arguments = "zeros(0), [1, 1]", .expected = "[1.0]"},
                  {"[\"b\", \"a\"], [\"c\", \"b\"]", "list(\"a\", \"b\", \"c\")"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& intersect_entry() {
  static const Entry entry{
      .name = "intersect",
      .doc =
          "The elements that are in `a` and in `b`, each once, ascending: of tensors a tensor of rank 1, of lists of "
          "texts a list. nan is one value.",
      .parameters = both_parameters(),
      .carries = true,
      .eager = [](Builder& builder, Call& call) { return kept(builder, call, true); },
      .complex = refuse_complex,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[3, 1, 3, 4], [[4, 3], [5, 5]]", .expected = "[3, 4]"},
                  {.arguments = "[2, 1], [4.0, 3.0]", .expected = "zeros(0)"},
                  {.arguments = "[1.0], zeros(0)", .expected = "zeros(0)"},
                  {"[\"b\", \"a\", \"b\"], [\"c\", \"b\"]", "list(\"b\")"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& setdiff_entry() {
  static const Entry entry{
      .name = "setdiff",
      .doc =
          "The elements of `a` that are not in `b`, each once, ascending: of tensors a tensor of rank 1, of lists of "
          "texts a list. nan is one value.",
      .parameters = both_parameters(),
      .carries = true,
      .eager = [](Builder& builder, Call& call) { return kept(builder, call, false); },
      .complex = refuse_complex,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[3, 1, 3, 4], [[4, 5]]", .expected = "[1, 3]"},
                  {.arguments = "[2, 1], [5.0, 0.5]", .expected = "[1, 2]"},
                  {.arguments = "[2.5, 1.0, 2.5], zeros(0)", .expected = "[1.0, 2.5]"},
                  {"[\"b\", \"a\", \"b\"], [\"c\", \"a\"]", "list(\"b\")"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& isin_entry() {
  static const Entry entry{
      .name = "isin",
      .doc =
          "Whether each element of `x` is one of the elements of `values`; of texts whether each is in a list of them. "
          "nan equals nothing, itself included.",
      .parameters = {any_parameter("x"), any_parameter("values")},
      .carries = true,
      .eager = isin_eager,
      .complex = refuse_complex,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[[3, 1], [2, 7]], [1, 3, 3]", .expected = "[[true, true], [false, false]]"},
                  {.arguments = "[1.0, nan, -0.0], [nan, 0, 2]", .expected = "[false, false, true]"},
                  {.arguments = "2, [[1, 2]]", .expected = "true"},
                  {.arguments = "[1.5, 2.0], zeros(0)", .expected = "[false, false]"},
                  {"[\"b\", \"z\"], [\"a\", \"b\"]", "[true, false]"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& unique_entry() {
  static const Entry entry{
      .name = "unique",
      .doc =
          "The different elements of `x`, ascending, as a tensor of rank 1; of a list of texts as a list. nan is there "
          "once; of −0 and +0 the first.\n\n"
          "With `inverse=true` or `counts=true` it gives a tuple: the elements; for each element of `x` where it is "
          "among them, so that `values[inverse]` is `x`; how often each is there. `factorize` is for columns of a "
          "table.",
      .parameters = {any_parameter("x"), attribute("counts", false), attribute("inverse", false)},
      .carries = true,
      .eager = unique_eager,
      .complex = refuse_complex,
      .derivative = Derivative::of_parts(),
      .effects = {.may_fail = true},
      .samples = {{.arguments = "[3, 1, 3, 2, 1]", .expected = "[1, 2, 3]"},
                  {.arguments = "[[2.0, 1.0], [1.0, 2.0]]", .expected = "[1.0, 2.0]"},
                  {.arguments = "[3.0, 1.0, 2.0]", .expected = "[1.0, 2.0, 3.0]", .differentiate = true},
                  {.arguments = "[nan, 1.0, nan]", .expected = "[1.0, nan]"},
                  {.arguments = "[3, 1, 3, 2, 1], counts=true", .expected = "([1, 2, 3], [2, 1, 2])"},
                  {.arguments = "[[3.0, nan], [nan, 1.0]], inverse=true",
                   .expected = "([1.0, 3.0, nan], [[1, 2], [2, 0]])"},
                  {.arguments = "[true, false, true], counts=true, inverse=true",
                   .expected = "([false, true], [1, 0, 1], [1, 2])"},
                  {.arguments = "5", .expected = "[5]"},
                  {.arguments = "zeros(0)", .expected = "zeros(0)"},
                  {"[\"b\", \"a\", \"b\"], counts=true, inverse=true", "(list(\"a\", \"b\"), [1, 0, 1], [1, 2])"}},
      .staging = Staging::structural,
  };
  return entry;
}

}  // namespace

Family order_set_entries() {
  static const Entry* const entries[] = {&unique_entry(), &isin_entry(), &union_entry(), &intersect_entry(),
                                         &setdiff_entry()};
  return entries;
}

}  // namespace covec::ops
