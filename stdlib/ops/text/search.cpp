// Finds a text in another.
#include "stdlib/ops/text/family.hpp"
#include "stdlib/ops/text/operands.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

namespace {

Value find(Builder&, Call& call) {
  const Value& from = call.args[0];
  if (from.is(ObjectKind::list) || from.is(ObjectKind::tuple))
    fail_attribute(call, 0, "a string", "write a loop: for i, v in enumerate(xs) { if v == x { break } }");
  if (is_operand(from)) fail_attribute(call, 0, "a string", "write nonzero(x == v)");
  const std::string& text = text_argument(call, 0).text;
  const size_t at = find_text(text, text_argument(call, 1).text);
  if (at == std::string::npos) return Value();
  return static_cast<int64_t>(count_beginnings(std::string_view(text).substr(0, at)));  // places are code points
}

Value starts_with(Builder&, Call& call) {
  return Value(text_argument(call, 0).text.starts_with(text_argument(call, 1).text));
}
Value ends_with(Builder&, Call& call) {
  return Value(text_argument(call, 0).text.ends_with(text_argument(call, 1).text));
}

constexpr const char* gives_bool = "gives a bool";

const Entry& find_text_entry() {
  static const Entry entry =
      text_operator("find", "The index at which `part` first stands in a text, `none` where it does not.",
                    {any_parameter("text"), attribute("part")}, find,
                    {{"\"banana\", \"na\"", "2", "python"},
                     {"\"naïve\", \"ve\"", "3", "python"},
                     {"\"abc\", \"x\"", "none", "definition"},
                     {"\"abc\", \"\"", "0", "python"}},
                    "gives an integer");
  return entry;
}
const Entry& starts_with_entry() {
  static const Entry entry = text_operator(
      "starts_with", "Whether a text begins with `part`.", {any_parameter("text"), attribute("part")}, starts_with,
      {{"\"data.csv\", \"data\"", "true", "python"}, {"\"a\", \"ab\"", "false", "python"}}, gives_bool);
  return entry;
}
const Entry& ends_with_entry() {
  static const Entry entry = text_operator(
      "ends_with", "Whether a text ends with `part`.", {any_parameter("text"), attribute("part")}, ends_with,
      {{"\"data.csv\", \".csv\"", "true", "python"}, {"\"b\", \"ab\"", "false", "python"}}, gives_bool);
  return entry;
}

}  // namespace

Family text_search_entries() {
  static const Entry* const entries[] = {&find_text_entry(), &starts_with_entry(), &ends_with_entry()};
  return entries;
}

}  // namespace covec::ops
