// Iterables: ranges, numbered and paired items, progress bars. A Sequence makes its items on demand. Items of a traced
// tensor are operations of their own, so those are made at once, in order.
#include "stdlib/ops/general/sequences.hpp"

#include <algorithm>
#include <cstdio>

#include "stdlib/kernels/collect.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/general/family.hpp"
#include "stdlib/ops/general/general.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/map.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

bool has_items(const Value& given) {
  const Value& v = shaped_part(given);
  return is_run_list(v) || v.is(ObjectKind::tuple) || v.is(ObjectKind::list) || v.is(ObjectKind::sequence) ||
         v.is(ObjectKind::string) || (!v.is_scalar() && is_operand(v) && !logical_type(v).shape.empty());
}

int64_t length_of(const Value& v) {
  if (v.is(ObjectKind::sequence)) return v.sequence().length();
  if (v.is(ObjectKind::string)) return v.string().length();
  if (v.is_tensor()) return v.tensor().dim(0);
  if (v.is(ObjectKind::list)) return static_cast<int64_t>(v.list().size());
  if (is_complex(v)) return length_of(complex_of(v).re());
  if (const std::vector<Value>* items = children(v)) return static_cast<int64_t>(items->size());
  const Dim length = logical_type(v).shape[0];
  if (!length.known()) fail_not_staged("the number of items");
  return length.number();
}

Value item_at(Builder& b, const Value& v, int64_t i) {
  if (v.is(ObjectKind::sequence)) return v.sequence().at(b, i);
  if (v.is(ObjectKind::string)) return make_string(std::string(v.string().character(i)));
  if (v.is_tensor()) return item_of(v, i);
  if (v.is(ObjectKind::list)) return v.list().item(static_cast<size_t>(i));
  if (is_complex(v)) return make_complex(item_at(b, complex_of(v).re(), i), item_at(b, complex_of(v).im(), i));
  if (const std::vector<Value>* items = children(v)) return (*items)[static_cast<size_t>(i)];
  IndexSpec spec;
  spec.push(IndexSpec::Item::at);
  const Value index[] = {Value(i)};
  return index_read(b, v, Value(spec.packed()), index);
}

// The operand as something that has items.
Value iterable_operand(const Call& call, unsigned operand) {
  const Value& value = call.operand(operand);
  if (has_named_children(value)) return keys_of(value);
  if (!has_items(value)) {
    fail(message("not_a_sequence"), {std::string(call.entry.name), describe(value)}, {label_of(call, operand)});
  }
  return value;
}

// A progress bar inside another sequence is told of each step.
void step_through(const Value& v, int64_t index) {
  if (v.is(ObjectKind::sequence)) v.sequence().step(index);
}

}  // namespace

void append_items(Builder& b, const Call& call, unsigned operand, std::vector<Value>& out) {
  const Value& from = call.operand(operand);
  if (!has_items(from) && !has_named_children(from)) {
    const std::string what = describe(from);
    fail(message("not_a_sequence"), {"`*`", what}, {{static_cast<int>(operand), "this is " + what}});
  }
  const Value items = iterable_operand(call, operand);
  if (const std::vector<Value>* const row = is_complex(items) ? nullptr : children(items))
    return kernels::collect_all(b.context(), *row, out);
  kernels::collect(b.context(), length_of(items), out, [&](int64_t i) { return item_at(b, items, i); });
}

int64_t Enumerated::length() const { return length_of(items); }
Value Enumerated::at(Builder& b, int64_t i) const {
  if (!is_integer(start)) fail_not_staged("where an enumeration starts");
  return make_tuple({Value(integer_of(start) + i), item_at(b, items, i)});
}
void Enumerated::step(int64_t i) const { step_through(items, i); }
std::string Enumerated::text() const { return "<enumerate of " + std::to_string(length()) + ">"; }
Value Enumerated::with_parts(std::vector<Value> values) const {
  return Value::adopt(new Enumerated(std::move(values.at(0)), std::move(values.at(1))));
}

int64_t Zipped::length() const {
  if (items.empty()) return 0;
  int64_t least = length_of(items[0]);
  for (const Value& item : items) least = std::min(least, length_of(item));
  return least;
}
Value Zipped::at(Builder& b, int64_t i) const {
  std::vector<Value> row;
  row.reserve(items.size());
  for (const Value& item : items) row.push_back(item_at(b, item, i));
  return make_tuple(std::move(row));
}
void Zipped::step(int64_t i) const {
  for (const Value& item : items) step_through(item, i);
}
std::string Zipped::text() const { return "<zip of " + std::to_string(length()) + ">"; }
Value Zipped::with_parts(std::vector<Value> values) const { return Value::adopt(new Zipped(std::move(values))); }

int64_t Progress::length() const { return length_of(items); }
Value Progress::at(Builder& b, int64_t i) const { return item_at(b, items, i); }
std::string Progress::text() const { return "<progress of " + std::to_string(length()) + ">"; }
Value Progress::with_parts(std::vector<Value> values) const {
  return Value::adopt(new Progress(std::move(values.at(0)), label, context));
}

Bars::iterator Progress::place() const {
  return std::find_if(bars->begin(), bars->end(), [this](const Bar& bar) { return bar.owner == this; });
}

void Progress::end() const { bars->erase(place(), bars->end()); }

void Progress::draw() const {
  std::string lines;
  for (const Bar& bar : *bars) {
    if (!bar.line.empty()) lines += (lines.empty() ? "" : "\n") + bar.line;
  }
  if (context.output != nullptr) context.output->progress(lines);
}

void Progress::step(int64_t i) const {
  step_through(items, i);
  const Clock::time_point now = Clock::now();
  done = i;
  if (i == 0) {
    end();
    bars->push_back({this, ""});
    begun = drawn = now;
    visible = false;
  }
  const bool last = i == length();
  if (last && visible) drawn = {};  // shown whenever it was last drawn
  redraw(0, now);
  if (last) end();
}

void Progress::part(double share) const { redraw(share, Clock::now()); }

void Progress::redraw(double share, Clock::time_point now) const {
  if (now - drawn < std::chrono::milliseconds(100)) return;
  drawn = now;
  visible = true;
  auto mine = place();
  if (mine == bars->end()) mine = bars->insert(mine, {this, ""});  // another one beside it has gone on
  mine->line = line(share, std::chrono::duration<double>(now - begun).count());
  bars->erase(mine + 1, bars->end());
  draw();
}

namespace {

std::string written(const char* format, double number) {
  char text[48];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

// "4.3 s", "12 min 5 s", "3 h 20 min"
std::string duration_text(double seconds) {
  if (seconds < 60) return written("%.1f s", seconds);
  const auto whole = static_cast<int64_t>(std::min(seconds, 1e12));
  const auto two = [](int64_t large, const char* unit, int64_t small, const char* part) {
    return std::to_string(large) + unit + std::to_string(small) + part;
  };
  return whole < 3600 ? two(whole / 60, " min ", whole % 60, " s") : two(whole / 3600, " h ", whole / 60 % 60, " min");
}

}  // namespace

// "training  42% [########            ] 210/500  67.7/s  3.1 s, 4.3 s left"; of one item how many is not said.
std::string Progress::line(double share, double seconds) const {
  constexpr int cells = 20;  // characters between the brackets
  const int64_t total = length();
  const double part = total > 0 ? (static_cast<double>(done) + share) / static_cast<double>(total) : 1;
  const auto filled = static_cast<size_t>(part * cells);
  std::string out = label.empty() ? "" : label + "  ";
  out += written("%3.0f%% [", part * 100) + std::string(filled, '#') + std::string(cells - filled, ' ') + "] ";
  if (total != 1) out += std::to_string(done) + "/" + std::to_string(total) + "  ";
  if (done > 0 && total != 1 && seconds > 0) {
    const double rate = static_cast<double>(done) / seconds;
    out += (rate < 1 ? written("%.1f s each", 1 / rate) : written("%.3g/s", rate)) + "  ";
  }
  out += duration_text(seconds);
  if (part > 0 && part < 1) out += ", " + duration_text(seconds / part * (1 - part)) + " left";
  return out;
}

namespace {

// Of a range through numbers that are not negative; of another it may be more than i64 can say, which only the run
// knows.
Value counted_length(Builder& b, const SymbolicRange& range) {
  const Value& least = range.stride > 0 ? range.start : range.stop;
  if (!is_integer(least) || integer_of(least) < 0) fail_not_staged("the length of a range");
  return range_length(b, range);
}

Value len(Builder& b, Call& call) {
  const Value& v = shaped_part(call.args[0]);
  if (!has_items(v) && !has_named_children(v)) {
    fail(message("no_length"), {describe(v)}, {label_of(call, 0)}, is_operand(v) ? "a number has rank 0" : "");
  }
  if (is_operand(v)) return b.extent(logical_type(v).shape[0]);
  if (const auto* range = v.is(ObjectKind::sequence) ? dynamic_cast<const SymbolicRange*>(&v.sequence()) : nullptr)
    return counted_length(b, *range);
  return length_of(v);
}

Value range(Builder&, Call& call) {
  const bool one = call.args[1].is_none();
  if (one && call.args[0].is_scalar() && is_float(call.args[0].scalar_dtype()))
    fail_attribute(call, 0, "an integer", "range(n) needs an integer: write range(i64(n))");
  if (is_symbolic_integer(call.args[0]) || is_symbolic_integer(call.args[1])) {
    const int64_t stride = integer_argument(call, 2);
    if (stride == 0) fail(message("range_step"), {}, {label_of(call, 2)});
    for (unsigned i = 0; i < (one ? 1u : 2u); ++i) {
      expect_integer(call, i);
    }
    return range_between(one ? Value(int64_t{0}) : call.args[0], call.args[one ? 0 : 1], stride);
  }
  const int64_t start = one ? 0 : integer_argument(call, 0);
  const int64_t stop = integer_argument(call, one ? 0 : 1);
  const int64_t step = integer_argument(call, 2);
  if (step == 0) fail(message("range_step"), {}, {label_of(call, 2)});
  return make_range(start, stop, step);
}

Value enumerate(Builder&, Call& call) {
  expect_integer(call, 1);
  return Value::adopt(new Enumerated(iterable_operand(call, 0), call.args[1]));
}

Value zip(Builder&, Call& call) {
  std::vector<Value> parts;
  for (unsigned i = 0; i < call.rest.size(); ++i) {
    parts.push_back(iterable_operand(call, static_cast<unsigned>(call.args.size()) + i));
  }
  return Value::adopt(new Zipped(std::move(parts)));
}

Value progress(Builder& b, Call& call) {
  const Value& label = call.args[1];
  if (!label.is_none() && !label.is(ObjectKind::string)) fail_attribute(call, 1, "a string");
  return Value::adopt(new Progress(iterable_operand(call, 0), label.is_none() ? "" : label.string().text, b.context()));
}

// Nothing where the number is known later, or is one of each example.
Value progress_part(Builder& b, Call& call) {
  const Value& given = call.args[0];
  if (is_operand(given) && (is_symbolic(given) || given.is_traced())) {
    const Type type = logical_type(given);
    const bool is_number = type.shape.empty() && type.dtype != Dtype::boolean;
    if (!is_number && is_symbolic(given)) fail_not_staged("the value of progress_part");
    if (!is_number) fail_attribute(call, 0, "a number");
  }
  const Value* share = &given;
  for (; share->is_traced(); share = &share->traced().primal) {
    if (share->traced().trace == TraceKind::batch) return {};
  }
  if (is_symbolic(*share)) return {};
  Value known[] = {*share};
  const double part = number_argument({call.entry, known, {}}, 0);
  const Bars& bars = *b.context().bars;
  // No bar has another owner; nan is no part.
  if (!bars.empty()) static_cast<const Progress*>(bars.back().owner)->part(part > 0 ? std::min(part, 1.0) : 0);
  return {};
}

constexpr const char* no_tensor = "gives no tensor";

}  // namespace

const Entry& len_entry() {
  static const Entry entry{
      .name = "len",
      .doc =
          "The number of items: of a tensor along its first axis, of a tuple, list, map or range, of a record's "
          "fields, "
          "of a string's characters.",
      .parameters = {{.name = "x", .kind = ParameterKind::any}},
      .eager = len,
      .derivative = Derivative::none("gives an integer"),
      .effects = {.may_fail = true},
      .samples = {{"[[1, 2, 3], [4, 5, 6]]", "2"},
                  {"(1, 2, 3)", "3", "python"},
                  {"\"naïve\"", "5", "python"},
                  {"range(1, 10, 4)", "3", "python"},
                  {"{a: 1, b: 2}", "2", "python"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& range_entry() {
  static const Entry entry{
      .name = "range",
      .doc =
          "Integers to count through: `range(n)` is 0 … n−1, `range(start, stop, step=1)` goes from start up to, but "
          "not including, "
          "stop.\n\nWhere a tensor is expected it is one of i64.",
      .parameters =
          {{.name = "start", .kind = ParameterKind::attribute},
           {.name = "stop", .kind = ParameterKind::attribute, .required = false},
           {.name = "step", .kind = ParameterKind::attribute, .required = false, .fallback = Value(int64_t{1})}},
      .eager = range,
      .derivative = Derivative::none("gives integers"),
      .effects = {.may_fail = true},
      .samples = {{"3", "range(0, 3)", "python"}, {"5, 0, -2", "range(5, -1, -2)", "python"}},
      .staging = Staging::structural,
      .example = R"(for i in range(2, 8, 3) { print(i) }
# expect: 2
# expect: 5)",
  };
  return entry;
}

const Entry& enumerate_entry() {
  static const Entry entry{
      .name = "enumerate",
      .doc = "Pairs of number and item: `for i, x in enumerate(xs) { }`. Numbers count from `start`.",
      .parameters =
          {{.name = "xs", .kind = ParameterKind::any},
           {.name = "start", .kind = ParameterKind::attribute, .required = false, .fallback = Value(int64_t{0})}},
      .eager = enumerate,
      .derivative = Derivative::none(no_tensor),
      .effects = {.may_fail = true},
      .staging = Staging::structural,
      .example = R"(for i, x in enumerate([10, 20]) { print(i, x) }
# expect: 0 10
# expect: 1 20)",
  };
  return entry;
}

const Entry& zip_entry() {
  static const Entry entry{
      .name = "zip",
      .doc = "Tuples of items that stand at the same place of several sequences, as many as the shortest has.",
      .parameters = {{.name = "xs", .kind = ParameterKind::any, .required = false}},
      .variadic = true,
      .eager = zip,
      .derivative = Derivative::none(no_tensor),
      .effects = {.may_fail = true},
      .staging = Staging::structural,
      .example = R"(for x, name in zip([1, 2], ("one", "two")) { print(x, name) }
# expect: 1 one
# expect: 2 two)",
  };
  return entry;
}

const Entry& progress_entry() {
  static const Entry entry{
      .name = "progress",
      .doc =
          "The same items, with a progress bar: `for step in progress(range(1000), \"training\") { }`.\n\n"
          "It shows how many are done, how many a second, how long that took, and how long the rest will. Bars of "
          "loops "
          "inside each other stand below each other. A bar is drawn on a terminal only, after a tenth of a second, and "
          "not by compiled code.",
      .parameters = {{.name = "xs", .kind = ParameterKind::any},
                     {.name = "label", .kind = ParameterKind::attribute, .required = false}},
      .eager = progress,
      .derivative = Derivative::none(no_tensor),
      .effects = {.may_fail = true},
      .staging = Staging::structural,
      .example = R"(total = 0
for i in progress(range(4), "adding") { total += i }
print(total)  # expect: 6)",
  };
  return entry;
}

const Entry& progress_part_entry() {
  static const Entry entry{
      .name = "progress_part",
      .doc =
          "Says how much of the current item the innermost bar of `progress` has behind it, 0 to 1, so that the bar "
          "moves within an item; of one item, as in `for whole in progress(range(1), \"solving\") { … }`, it shows "
          "the part alone. Without a bar, and in compiled code, nothing happens.",
      .parameters = {{.name = "share", .kind = ParameterKind::any}},
      .eager = progress_part,
      .derivative = Derivative::none(no_tensor),
      .effects = {.may_fail = true},
      .staging = Staging::structural,
      .example = R"(t = 0.0
for whole in progress(range(1), "walking") {
  while t < 3.0 {
    t += 0.5
    progress_part(t / 3.0)
  }
}
print(t)  # expect: 3.0)",
  };
  return entry;
}

Family general_sequences_entries() {
  static const Entry* const entries[] = {&len_entry(), &range_entry(),    &enumerate_entry(),
                                         &zip_entry(), &progress_entry(), &progress_part_entry()};
  return entries;
}

}  // namespace covec::ops
