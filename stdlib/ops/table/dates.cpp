// Dates: seconds since 1970 in UTC, f64, nan where one is missing. They are read from texts, written as texts, and
// split into parts.
#include <algorithm>
#include <cmath>
#include <limits>

#include "stdlib/files/columns.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/table/columns.hpp"
#include "stdlib/ops/table/family.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/text/calendar.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/string.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t between_polls = 1 << 12;  // rows
constexpr double day_seconds = 86400;       // 24 h without leap seconds, as POSIX counts

Value seconds_argument(const Call& call, unsigned operand) {
  const Value x = without_traces(call.args[operand]);
  if (!x.is_tensor() || x.tensor().rank() != 1 || x.tensor().dtype() != Dtype::f64)
    fail_attribute(call, operand, "a vector of seconds, f64");
  return contiguous(x.tensor().pool(), x);
}

// A format that has a text, checked; empty where it is none.
std::string format_argument(const Call& call, unsigned operand, const char* function) {
  if (call.args[operand].is_none()) return {};
  if (!call.args[operand].is(ObjectKind::string)) fail_attribute(call, operand, "a string, \"%d.%m.%Y\", or none");
  const std::string& format = call.args[operand].string().text;
  const std::string_view unknown = unknown_directive(format);
  if (unknown.empty() && !format.empty()) return format;
  fail(message("table_data"), {function, "`format` " + quoted(format) + " has " + quoted(unknown) +
                                             "; there are %Y %y %m %d %j %H %I %M %S %f %p %b %B %a %A %z %%"});
}

// `where` says what the text is: "row 3: ", "`low`: " or nothing.
double date_or_fail(const std::string& text, const std::string& format, const std::string& function,
                    const std::string& where) {
  const auto date = format.empty() ? parsed_date(text) : parsed_date(text, format);
  if (date) return *date;
  fail(message("table_data"), {function, where + quoted(text) + " is no date" +
                                             (format.empty() ? " (\"2024-03-31\" or \"2024-03-31T12:30:15\")"
                                                             : " of the form " + quoted(format))});
}

Value read_one(Builder&, Call& call) {
  const std::string& function = call.args[2].string().text;
  const std::string format = format_argument(call, 1, function.c_str());
  return date_or_fail(call.args[0].string().text, format, function, call.args[3].string().text);
}

Value read(Builder& b, Call& call) {
  const std::vector<Value>& texts = texts_argument(call, 0);
  const std::string format = format_argument(call, 1, "dates");
  Value seconds = make_tensor(b.pool(), Dtype::f64, Shape{Dim(static_cast<int64_t>(texts.size()))});
  for (size_t i = 0; i < texts.size(); ++i) {
    if (i % between_polls == 0) kernels::poll_interrupt(b.context());
    double& to = seconds.tensor().as<double>()[i];
    to = missing;
    if (texts[i].is_none()) continue;
    to = date_or_fail(texts[i].string().text, format, "dates", "row " + std::to_string(i) + ": ");
  }
  return seconds;
}

template <class F>
void each_date(Builder& b, const Value& seconds, F each) {
  const double* const x = seconds.tensor().as<double>();
  kernels::parallel_for(b.context(), seconds.tensor().size(), between_polls, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) each(i, has_date_text(x[i]) ? x[i] : missing);
  });
}

Value texts(Builder& b, Call& call) {
  const Value seconds = seconds_argument(call, 0);
  std::string format = format_argument(call, 1, "date_texts");
  const double* const x = seconds.tensor().as<double>();
  const int64_t size = seconds.tensor().size();
  const bool clock =
      std::any_of(x, x + size, [](double s) { return has_date_text(s) && std::fmod(s, day_seconds) != 0; });
  std::vector<Value> items;
  for (int64_t i = 0; i < size; ++i) {
    if (i % between_polls == 0) kernels::poll_interrupt(b.context());
    const bool there = has_date_text(x[i]);
    items.push_back(!there ? Value()
                           : make_string(format.empty() ? iso_date(x[i], clock) : formatted_date(x[i], format)));
  }
  return make_list(std::move(items));
}

// --- parts ---

struct Part {
  std::string_view name;
  double (*of)(double seconds);
};
constexpr Part parts[] = {
    {"year", [](double s) { return static_cast<double>(date_of(s).year); }},
    {"quarter", [](double s) { return static_cast<double>((date_of(s).month + 2) / 3); }},
    {"month", [](double s) { return static_cast<double>(date_of(s).month); }},
    {"day", [](double s) { return static_cast<double>(date_of(s).day); }},
    {"hour", [](double s) { return static_cast<double>(date_of(s).hour); }},
    {"minute", [](double s) { return static_cast<double>(date_of(s).minute); }},
    {"second", [](double s) { return std::floor(date_of(s).second); }},
    {"weekday", [](double s) { return static_cast<double>(weekday_of(s)); }},
    {"yearday", [](double s) { return static_cast<double>(day_of_year(s)); }},
};
double to_multiple(double seconds, double of) { return std::floor(seconds / of) * of; }
double to_month(double seconds, int months) {
  const Date date = date_of(seconds);
  return seconds_of({date.year, (date.month - 1) / months * months + 1, 1, 0, 0, 0});
}
constexpr Part floors[] = {
    {"year", [](double s) { return to_month(s, 12); }},
    {"quarter", [](double s) { return to_month(s, 3); }},
    {"month", [](double s) { return to_month(s, 1); }},
    {"week", [](double s) { return (std::floor(s / day_seconds) - weekday_of(s)) * day_seconds; }},
    {"day", [](double s) { return to_multiple(s, day_seconds); }},
    {"hour", [](double s) { return to_multiple(s, 3600); }},
    {"minute", [](double s) { return to_multiple(s, 60); }},
    {"second", [](double s) { return to_multiple(s, 1); }},
};

Value each_part(Builder& b, const Value& seconds, const Part& part) {
  Value made = make_tensor(b.pool(), Dtype::f64, Shape{Dim(seconds.tensor().size())});
  double* const to = made.tensor().as<double>();
  each_date(b, seconds, [&](int64_t i, double s) { to[i] = std::isnan(s) ? missing : part.of(s); });
  return made;
}

const Part& part_argument(const Call& call, unsigned operand, std::span<const Part> known, const char* function) {
  const Value& value = call.args[operand];
  std::string listed;
  for (const Part& part : known) {
    if (value.is(ObjectKind::string) && value.string().text == part.name) return part;
    listed += (listed.empty() ? "" : " ") + std::string(part.name);
  }
  refuse({function, std::string(operand_name(call, operand))}, "one of " + listed, shown_value(value));
}

// Integers, unless some are missing.
Value part(Builder& b, Call& call) {
  const Part& wanted = part_argument(call, 1, parts, "part");
  const Value numbers = each_part(b, seconds_argument(call, 0), wanted);
  const Tensor& tensor = numbers.tensor();
  const double* const x = tensor.as<double>();
  if (std::any_of(x, x + tensor.size(), [](double number) { return std::isnan(number); })) return numbers;
  Value whole = make_tensor(b.pool(), Dtype::i64, Shape{Dim(tensor.size())});
  std::transform(x, x + tensor.size(), whole.tensor().as<int64_t>(), [](double n) { return static_cast<int64_t>(n); });
  return whole;
}

Value floor_dates(Builder& b, Call& call) {
  const Part& unit = part_argument(call, 1, floors, "floor");
  return each_part(b, seconds_argument(call, 0), unit);
}

const Entry& date_read_entry() {
  static const Entry entry{
      .name = "date_read",
      .doc =
          "Seconds since 1970 in UTC of a list of texts, f64[n]; nan where one is none.\n\n"
          "Without `format` they are of ISO 8601: \"2024-03-31\", \"2024-03-31T12:30:15.5\", perhaps with Z or an "
          "offset "
          "like +02:00 behind. `format` has the directives %Y %y %m %d %j %H %I %M %S %f %p %b %B %a %A %z %% of C and "
          "Python; names are English.",
      .parameters = {any_parameter("texts"), attribute("format", Value())},
      .eager = read,
      .derivative = Derivative::none("reads texts"),
      .effects = table_effects(),
      .example =
          R"(print(date_read(["1970-01-02", none]), date_read(["31.12.69"], "%d.%m.%y"))  # expect: [86400.0, nan] [-86400.0])",
  };
  return entry;
}

const Entry& date_seconds_entry() {
  static const Entry entry{
      .name = "_date_seconds",
      .doc = "Seconds since 1970 of one text, for the module `table`: `function` and `where` are what an error names.",
      .parameters = {any_parameter("text"), attribute("format"), attribute("function"), attribute("where")},
      .eager = read_one,
      .derivative = Derivative::none("reads a text"),
      .effects = table_effects(),
      .internal = true,
  };
  return entry;
}

const Entry& date_texts_entry() {
  static const Entry entry{
      .name = "date_texts",
      .doc =
          "Texts of seconds since 1970, in UTC: a list of strings, none for nan and what no year of four digits "
          "has.\n\n"
          "Without `format` \"2024-03-31\", and where one of them is no midnight all with a time, "
          "\"2024-03-31T12:30:15\".",
      .parameters = {any_parameter("seconds"), attribute("format", Value())},
      .eager = texts,
      .derivative = Derivative::none("gives strings"),
      .effects = table_effects(),
      .example =
          R"(print(date_texts([0.0, nan]), date_texts([0.5], "%d %b %Y"))  # expect: list("1970-01-01", none) list("01 Jan 1970"))",
  };
  return entry;
}

const Entry& date_part_entry() {
  static const Entry entry{
      .name = "date_part",
      .doc =
          "A part of dates, seconds since 1970 in UTC: \"year\", \"quarter\", \"month\", \"day\", \"hour\", "
          "\"minute\", "
          "\"second\", \"weekday\" (0: Monday) or \"yearday\" (1: January 1). i64[n], or f64[n] where one is missing.",
      .parameters = {any_parameter("seconds"), attribute("part")},
      .eager = part,
      .derivative = Derivative::none("gives integers"),
      .effects = table_effects(),
      .example = R"(print(date_part([0.0, 40 * 86400.0], "month"), date_part([0.0], "weekday"))  # expect: [1, 2] [3])",
  };
  return entry;
}

const Entry& date_floor_entry() {
  static const Entry entry{
      .name = "date_floor",
      .doc =
          "Where the unit begins that each date lies in, seconds since 1970 in UTC: \"year\", \"quarter\", \"month\", "
          "\"week\" (from Monday), \"day\", \"hour\", \"minute\" or \"second\".",
      .parameters = {any_parameter("seconds"), attribute("unit")},
      .eager = floor_dates,
      .derivative = Derivative::none("is constant between its jumps"),
      .effects = table_effects(),
      .example = R"(print(date_texts(date_floor([40.5 * 86400], "month")))  # expect: list("1970-02-01"))",
  };
  return entry;
}

}  // namespace

Family table_dates_entries() {
  static const Entry* const entries[] = {&date_read_entry(), &date_seconds_entry(), &date_texts_entry(),
                                         &date_part_entry(), &date_floor_entry()};
  return entries;
}

}  // namespace covec::ops
