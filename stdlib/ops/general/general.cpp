// Text and output, errors, time, the constants. Under an open vmap, print is called once for each example, with that
// example's values (stdlib/autodiff/effects.cpp). Making text from a batch (format, str) makes the vmap run example by
// example.
#include "stdlib/ops/general/general.hpp"
#include "stdlib/ops/general/staged.hpp"

#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>

#include "stdlib/device/devices.hpp"
#include "stdlib/gate/gate.hpp"
#include "stdlib/gate/system.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/general/family.hpp"
#include "stdlib/tensor/format.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

std::string error_text(const Record& record) {
  std::string text;
  for (const Value& item : record.items) text += format_value(item, "") + "\n";
  return text;
}

bool is_error_kind(std::string_view kind) {
  static constexpr std::string_view kinds[] = {"user", "assertion", "type", "shape", "index", "key", "value", "file"};
  return std::ranges::find(kinds, kind) != std::end(kinds);
}

OpError error_of_kind(std::string text, std::string kind) {
  const Message& row = message("user_error");
  return {row.key, std::move(text), {}, {}, nullptr, row.kind, std::move(kind)};
}

namespace {

constexpr int max_digits = 17;  // significant decimal digits that tell all f64 apart (IEEE 754)

// A string attribute that may be left out.
std::string_view text_argument(const Call& call, unsigned operand, std::string_view otherwise) {
  const Value& value = call.operand(operand);
  if (value.is_none()) return otherwise;
  if (!value.is(ObjectKind::string)) fail_attribute(call, operand, "a string");
  return value.string().text;
}

int digits_argument(const Call& call, unsigned operand) {
  if (call.operand(operand).is_none()) return 0;
  const int64_t digits = integer_argument(call, operand);
  if (digits < 1 || digits > max_digits)
    fail(message("digits_range"), {std::to_string(digits)}, {label_of(call, operand)});
  return static_cast<int>(digits);
}

enum class PrintsTo : uint8_t { output, errors, warnings };

PrintsTo printed_to(const Call& call) {
  const std::string_view to = text_argument(call, 4, "stdout");
  if (to == "stdout") return PrintsTo::output;
  if (to == "stderr") return PrintsTo::errors;
  if (to != "warning") fail_attribute(call, 4, "\"stdout\", \"stderr\" or \"warning\"");
  return PrintsTo::warnings;
}

// A warning comes once in a session, as those of the operators.
void put_out(Context& context, PrintsTo to, const std::string& text, std::string_view end) {
  if (context.output == nullptr) return;
  if (to == PrintsTo::warnings && context.warned.insert(text).second) context.output->warn(text);
  if (to == PrintsTo::errors) context.output->write_error(text + std::string(end));
  if (to == PrintsTo::output) context.output->write(text + std::string(end));
}

Value print(Builder& b, Call& call) {
  const std::string_view separator = text_argument(call, 1, " ");
  const std::string_view end = text_argument(call, 2, "\n");
  const int digits = digits_argument(call, 3);
  const PrintsTo to = printed_to(call);
  std::string text;
  bool first = true;
  const auto put = [&](const Value& value) {
    if (!first) text += separator;
    first = false;
    text += text_of(value, digits);
  };
  if (!call.args[0].is_none()) put(call.args[0]);  // given as values=…
  for (const Value& value : call.rest) put(value);
  put_out(b.context(), to, text, end);
  return Value();
}

Value format(Builder&, Call& call) { return make_string(format_value(call.args[0], text_argument(call, 1, ""))); }

Value str(Builder&, Call& call) { return make_string(format_value(call.args[0], "")); }

Value type_of(Builder& builder, Call& call) {
  const Value* x = &call.args[0];
  if (x->is(ObjectKind::sequence) && is_run_list(*x)) fail_not_staged("the type of a list");
  if (is_complex(*x) && is_symbolic(complex_of(*x).re()) && !logical_type(complex_of(*x).re()).shape.known())
    fail_not_staged("the type of a complex tensor");
  const bool open = is_operand(*x) && is_symbolic(*x) && !is_run_list(*x);
  if (!open || (!is_boxed_symbol(*x) && logical_type(*x).shape.known())) return make_string(describe(*x));
  for (; x->is_traced(); x = &x->traced().primal) {
    if (x->traced().trace == TraceKind::batch) fail_not_staged("the shape of a tensor");
  }
  return ops::call(builder, type_text_entry(), {*x});
}

// Of one number, or a dtype that is given itself.
std::optional<Dtype> dtype_of_number(const Value& x) {
  if (x.is(ObjectKind::function)) {
    const Entry* const entry = x.function().entry();
    return entry != nullptr ? entry->dtype : std::nullopt;
  }
  if (!is_operand(x) || is_run_list(x)) return std::nullopt;
  const Type type = logical_type(x);
  return type.shape.empty() ? std::optional(type.dtype) : std::nullopt;
}

Value is_number_eager(Builder&, Call& call) {
  const std::optional<Dtype> dtype = dtype_of_number(call.args[0]);
  return Value(dtype && dtype != Dtype::boolean);
}
Value is_integer_eager(Builder&, Call& call) {
  const std::optional<Dtype> dtype = dtype_of_number(call.args[0]);
  return Value(dtype && kind_of(*dtype) == DtypeKind::integer);
}
Value is_float_eager(Builder&, Call& call) {
  const std::optional<Dtype> dtype = dtype_of_number(call.args[0]);
  return Value(dtype && is_float(*dtype));
}

Value is_tensor_eager(Builder&, Call& call) {
  return Value(is_operand(shaped_part(call.args[0])) && !is_run_list(call.args[0]));
}

[[noreturn]] void raise_again(const Record& record) {
  const Message& row = message("raised_again");
  const auto text = [&](std::string_view field) { return format_value(*record.find(field), ""); };
  throw OpError{row.key, text("message"), {}, {}, nullptr, row.kind, text("kind"), error_text(record)};
}

bool is_caught_error(const Value& value) {
  if (!value.is(ObjectKind::record)) return false;
  const auto& names = value.record().layout->names;
  return names == std::vector<std::string>{"kind", "message", "file", "line", "column", "calls"};
}

Value error(Builder&, Call& call) {
  if (is_caught_error(call.args[0])) raise_again(call.args[0].record());
  const std::string kind(text_argument(call, 1, "user"));
  if (!is_error_kind(kind)) fail_attribute(call, 1, "user, assertion, type, shape, index, key, value or file");
  throw error_of_kind(format_value(call.args[0], ""), kind);
}

Value time(Builder& b, Call&) { return b.context().gate->now(Clock::wall); }

constexpr int64_t calls_between_polls = 1024;  // calls

Value timeit(Builder& b, Call& call) {
  if (!call.args[0].is(ObjectKind::function)) fail_attribute(call, 0, "a function");
  const double least = number_argument(call, 2);
  if (!(least >= 0)) fail_attribute(call, 2, "a number of seconds that is not negative");
  std::vector<Value> given;
  if (!call.args[1].is_none()) given.push_back(call.args[1]);  // as args=…
  given.insert(given.end(), call.rest.begin(), call.rest.end());
  Callable& function = call.args[0].function();
  const auto measured = [&](int64_t calls) {
    const double start = b.context().gate->now(Clock::steady);
    for (int64_t i = 0; i < calls; ++i) {
      if (i % calls_between_polls == 0) kernels::poll_interrupt(b.context());  // compiled functions need not
      std::vector<Value> args = given;
      function.call(b, args, {});
    }
    if (b.context().devices != nullptr) b.context().devices->wait();
    return b.context().gate->now(Clock::steady) - start;
  };
  measured(1);
  int64_t calls = 1;
  double best = measured(calls);
  while (best < least && calls < int64_t{1} << 40) {
    calls *= 2;
    best = measured(calls);
  }
  for (int block = 1; block < 5; ++block) best = std::min(best, measured(calls));
  return Value(best / static_cast<double>(calls));
}

// In short steps, so that Ctrl-C does not wait.
Value sleep(Builder& b, Call& call) {
  b.context().gate->require(Use::sleep);
  using Clock = std::chrono::steady_clock;
  const double seconds = number_argument(call, 0);
  if (!(seconds >= 0)) fail_attribute(call, 0, "a number of seconds that is not negative");
  const double longest = 1e9;  // 30 years: beyond lies an overflow
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(std::min(seconds, longest)));
  for (auto left = end - Clock::now(); left > Clock::duration::zero(); left = end - Clock::now()) {
    kernels::poll_interrupt(b.context());
    gate::pause(std::min(std::chrono::ceil<std::chrono::microseconds>(left), std::chrono::microseconds(10'000)));
  }
  return Value();
}

// A name that is a number.
template <double number()>
Value constant_value(Builder&, Call&) {
  return number();
}
double pi() { return std::numbers::pi; }
double euler() { return std::numbers::e; }
double infinity() { return std::numeric_limits<double>::infinity(); }
double not_a_number() { return std::numeric_limits<double>::quiet_NaN(); }

template <double number()>
Entry constant_entry(std::string_view name, std::string_view doc) {
  return {
      .name = name,
      .doc = doc,
      .parameters = {},
      .eager = constant_value<number>,
      .derivative = Derivative::none("is a constant"),
      .constant = number(),
      .staging = Staging::structural,
  };
}

const Entry& pi_entry() {
  static const Entry entry = constant_entry<pi>("pi", "The number π, 3.141592653589793.");
  return entry;
}
const Entry& pi_sign_entry() {
  static const Entry entry = constant_entry<pi>("π", "The number π, as `pi`.");
  return entry;
}
const Entry& inf_entry() {
  static const Entry entry = constant_entry<infinity>("inf", "Infinity, greater than every number; `-inf` is less.");
  return entry;
}
const Entry& nan_entry() {
  static const Entry entry = constant_entry<not_a_number>(
      "nan", "Not a number: the result of `0.0 / 0.0`. It equals nothing, itself included; ask `isnan`.");
  return entry;
}
const Entry& e_entry() {
  static const Entry entry = constant_entry<euler>("e", "Euler's number e, 2.718281828459045.");
  return entry;
}

}  // namespace

const Entry& print_entry() {
  static const Entry entry{
      .name = "print",
      .doc =
          "Prints its arguments as text.\n\n"
          "They are separated by `sep` (a space) and followed by `end` (a new line). Numbers are shown in the shortest "
          "form that reads "
          "back, tensors with 8 digits; `digits=` (1 to 17) sets both. Of tensors with more than 1000 elements the "
          "edges are shown. `to=\"stderr\"` prints to standard error, `to=\"warning\"` gives a warning, each text once "
          "in a "
          "session.",
      .parameters = {{.name = "values", .kind = ParameterKind::any, .required = false},
                     {.name = "sep", .kind = ParameterKind::attribute, .required = false},
                     {.name = "end", .kind = ParameterKind::attribute, .required = false},
                     {.name = "digits", .kind = ParameterKind::attribute, .required = false},
                     {.name = "to", .kind = ParameterKind::attribute, .required = false}},
      .variadic = true,
      .eager = print,
      .derivative = Derivative::none("prints"),
      .effects = {.may_fail = true, .prints = true},
      .example = R"(print(1, 0.5, [1, 2], "text")  # expect: 1 0.5 [1, 2] text
print(pi, sep="", end="!\n")  # expect: 3.141592653589793!
print([pi], digits=3)  # expect: [3.14])",
  };
  return entry;
}

const Entry& format_entry() {
  static const Entry entry{
      .name = "format",
      .doc =
          "A value as text by a format of Python's mini-language.\n\n"
          "`format(x, \".3f\")` is what `f\"{x:.3f}\"` writes. On a tensor the format applies to each element, on a "
          "tree to "
          "each number.",
      .parameters = {{.name = "x", .kind = ParameterKind::any},
                     {.name = "spec", .kind = ParameterKind::attribute, .required = false}},
      .eager = format,
      .derivative = Derivative::none("gives a string"),
      .effects = {.may_fail = true},
      .samples = {{"3.14159, \".2f\"", "\"3.14\"", "python"},
                  {"1234567, \",\"", "\"1,234,567\"", "python"},
                  {"-42, \"=+8d\"", "\"-     42\"", "python"},
                  {"255, \"#x\"", "\"0xff\"", "python"},
                  {"\"ab\", \"*^6\"", "\"**ab**\"", "python"},
                  {"[1.0, 2.5], \".1f\"", "\"[1.0, 2.5]\"", "python"}},
  };
  return entry;
}

const Entry& str_entry() {
  static const Entry entry{
      .name = "str",
      .doc = "A value as the text that `print` shows.",
      .parameters = {{.name = "x", .kind = ParameterKind::any}},
      .eager = str,
      .derivative = Derivative::none("gives a string"),
      .effects = {.may_fail = true},
      .samples = {{"0.1", "\"0.1\"", "python"},
                  {"1e16", "\"1e+16\"", "python"},
                  {"(1, true)", "\"(1, true)\"", "definition"},
                  {"\"a\"", "\"a\"", "python"}},
  };
  return entry;
}

const Entry& type_of_entry() {
  static const Entry entry{
      .name = "type_of",
      .doc =
          "What a value is, as a string.\n\nA tensor's dtype and shape (`\"f64[2, 3]\"`), or `\"tuple\"`, `\"list\"`, "
          "`\"record\"`, `\"map\"`, "
          "`\"string\"`, `\"function\"`, `\"range\"`, `\"module\"`, `\"none\"`.",
      .parameters = {{.name = "x", .kind = ParameterKind::any}},
      .eager = type_of,
      .derivative = Derivative::none("gives a string"),
      .samples = {{"1", "\"i64\"", "definition"},
                  {"[[1.0, 2.0]]", "\"f64[1, 2]\"", "definition"},
                  {"none", "\"none\"", "definition"},
                  {"(1, 2)", "\"tuple\"", "definition"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& is_number_entry() {
  static const Entry entry{
      .name = "is_number",
      .doc =
          "Whether a value is one number, of an integer or float dtype.\n\nTensors of other ranks and bools are not. "
          "Of a dtype: whether it is one of numbers (`is_number(x.dtype)`).",
      .parameters = {{.name = "x", .kind = ParameterKind::any}},
      .eager = is_number_eager,
      .derivative = Derivative::none("gives a bool"),
      .samples = {{"3", "true", "definition"},
                  {"f16(0.5)", "true", "definition"},
                  {"true", "false", "definition"},
                  {"[3.0]", "false", "definition"},
                  {"\"3\"", "false", "definition"},
                  {"f32", "true", "definition"},
                  {"bool", "false", "definition"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& is_integer_entry() {
  static const Entry entry{
      .name = "is_integer",
      .doc =
          "Whether a value is one whole number of an integer dtype.\n\nTensors of other ranks, bools and floats are "
          "not, whatever their value. Of a dtype: whether it is one of integers (`is_integer(x.dtype)`).",
      .parameters = {{.name = "x", .kind = ParameterKind::any}},
      .eager = is_integer_eager,
      .derivative = Derivative::none("gives a bool"),
      .samples = {{"3", "true", "definition"},
                  {"i32(3)", "true", "definition"},
                  {"3.0", "false", "definition"},
                  {"true", "false", "definition"},
                  {"[3]", "false", "definition"},
                  {"none", "false", "definition"},
                  {"i32", "true", "definition"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& is_float_entry() {
  static const Entry entry{
      .name = "is_float",
      .doc =
          "Whether a value is one number of a float dtype.\n\nTensors of other ranks and integers are not, whatever "
          "their value. Of a dtype: whether it is one of floats (`is_float(x.dtype)`).",
      .parameters = {{.name = "x", .kind = ParameterKind::any}},
      .eager = is_float_eager,
      .derivative = Derivative::none("gives a bool"),
      .samples = {{"3.0", "true", "definition"},
                  {"bf16(3)", "true", "definition"},
                  {"3", "false", "definition"},
                  {"[3.0]", "false", "definition"},
                  {"none", "false", "definition"},
                  {"f16", "true", "definition"},
                  {"i64", "false", "definition"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& is_tensor_entry() {
  static const Entry entry{
      .name = "is_tensor",
      .doc =
          "Whether a value is a tensor, which numbers and bools are, too.\n\nComplex ones are; lists, tuples and "
          "ranges are not, whatever they hold.",
      .parameters = {{.name = "x", .kind = ParameterKind::any}},
      .eager = is_tensor_eager,
      .derivative = Derivative::none("gives a bool"),
      .samples = {{"3", "true", "definition"},
                  {"[[1.0, 2.0]]", "true", "definition"},
                  {"true", "true", "definition"},
                  {"complex(1.0, 2.0)", "true", "definition"},
                  {"(1, 2)", "false", "definition"},
                  {"range(3)", "false", "definition"},
                  {"zip([1], [2])", "false", "definition"},
                  {"none", "false", "definition"},
                  {"f32", "false", "definition"}},
      .staging = Staging::structural,
  };
  return entry;
}

const Entry& error_entry() {
  static const Entry entry{
      .name = "error",
      .doc =
          "Stops the program with a message of its own, pointing at the call; `try { … } catch err { … }` catches "
          "it.\n\n"
          "`kind` is what `err.kind` says then: user, assertion, type, shape, index, key, value or file. `error(err)` "
          "raises an error that was caught again, with its own place.",
      .parameters = {{.name = "message", .kind = ParameterKind::any}, attribute("kind", Value())},
      .eager = error,
      .derivative = Derivative::none("gives nothing"),
      .effects = {.may_fail = true},
      .example = R"(error("no data")  # expect error: no data)",
  };
  return entry;
}

const Entry& time_entry() {
  static const Entry entry{
      .name = "time",
      .doc = "Seconds since 1970, as an f64 with its fraction: take differences of two to measure.",
      .parameters = {},
      .eager = time,
      .derivative = Derivative::none("does not depend on anything"),
      .effects = {.outside = true},
      .example = R"(start = time()
print(time() - start >= 0)  # expect: true)",
  };
  return entry;
}

const Entry& timeit_entry() {
  static const Entry entry{
      .name = "timeit",
      .doc =
          "The seconds that one call of a function takes, at best: `timeit(f, x)` calls `f(x)`.\n\n"
          "After one call that does not count (a compiled function is made then) it is called as often as takes "
          "`seconds`, at least once, five times over; the shortest counts. What a device has been asked for is waited "
          "for.",
      .parameters = {{.name = "f", .kind = ParameterKind::any},
                     {.name = "args", .kind = ParameterKind::any, .required = false},
                     {.name = "seconds", .kind = ParameterKind::attribute, .required = false, .fallback = Value(0.02)}},
      .variadic = true,
      .variadic_at = 1,
      .eager = timeit,
      .derivative = Derivative::none("does not depend on anything but the clock"),
      .effects = {.may_fail = true, .outside = true, .calls = true},
      .example = R"(print(timeit(x -> x @ x, eye(3)) > 0)  # expect: true)",
  };
  return entry;
}

const Entry& sleep_entry() {
  static const Entry entry{
      .name = "sleep",
      .doc = "Waits for a number of seconds; Ctrl-C ends it.",
      .parameters = {{.name = "seconds", .kind = ParameterKind::attribute}},
      .eager = sleep,
      .derivative = Derivative::none("gives nothing"),
      .effects = {.may_fail = true, .outside = true},
      .example = R"(sleep(0.001))",
  };
  return entry;
}

Family general_entries() {
  static const Entry* const entries[] = {&pi_entry(),        &pi_sign_entry(),   &inf_entry(),        &nan_entry(),
                                         &e_entry(),         &print_entry(),     &format_entry(),     &str_entry(),
                                         &type_of_entry(),   &is_number_entry(), &is_integer_entry(), &is_float_entry(),
                                         &is_tensor_entry(), &error_entry(),     &time_entry(),       &timeit_entry(),
                                         &sleep_entry()};
  return entries;
}

}  // namespace covec::ops
