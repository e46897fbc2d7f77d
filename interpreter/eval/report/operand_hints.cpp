// See operand_hints.hpp. Start reading at the end.
#include "interpreter/eval/report/operand_hints.hpp"

#include <algorithm>
#include <optional>

#include "stdlib/value/messages.hpp"

namespace covec {

namespace {

// Integers and bools beside `&` or `|`.
std::string hint_for_bits(const InterpreterHost& host, const OpError& error, const ops::Entry* entry,
                          std::span<const std::string> written) {
  if (error.code != message("pointwise_mixed").key) return {};
  const auto compares = [](const std::string& text) {
    const size_t at = text.find_first_of("<>=!(");
    return at != std::string::npos && text[at] != '(' && text.find("<<") != at && text.find(">>") != at;
  };
  const std::string sign = entry == host.operator_of(Operator::bit_or).entry ? "|" : "&";
  return std::ranges::any_of(written, compares) ? "comparisons bind more tightly: write (a " + sign + " b) == c" : "";
}

// A string among the operands of + or %.
std::string hint_for_text(const InterpreterHost& host, const OpError& error, const ops::Entry* entry) {
  constexpr auto values = "put values in braces: write f\"n is {n:.3f}\"";
  if (entry == nullptr) return {};
  if (entry == host.builtin("format")->entry && error.code == message("bad_attribute").key) return values;  // of Python
  if (error.code != message("not_numeric").key || error.labels.empty()) return {};
  if (entry == host.operator_of(Operator::logical_not).entry) return "to test for items, write len(x) > 0";
  const bool text = error.labels.front().text.ends_with(" is string");
  if (!text) return {};
  if (entry == host.operator_of(Operator::add).entry)
    return "to join text and a value, write f\"n is {n}\", or \"n is \" + str(n)";
  if (entry == host.operator_of(Operator::mod).entry) return values;
  if (entry == host.builtin("max")->entry) return "of several texts: write max(list(a, b))";
  if (entry == host.builtin("min")->entry) return "of several texts: write min(list(a, b))";
  if (entry == host.operator_of(Operator::bit_and).entry) return "join strings with +";
  return {};
}

// The place of a `/` outside of brackets and strings; those around the whole text, of a tuple, do not count.
std::optional<size_t> place_of_quotient(std::string_view text) {
  const int around = !text.empty() && (text.front() == '(' || text.front() == '[') ? 1 : 0;
  int depth = 0;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      quote = c == quote ? 0 : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    } else if (c == '/' && text.substr(i).starts_with("//")) {
      ++i;
    } else if (c == '/' && depth <= around) {
      return i;
    }
  }
  return std::nullopt;
}

// A float where an integer is needed: `zeros(n / 2)`, `range(1e3)`.
std::string hint_for_integer(const OpError& error, std::span<const std::string> written) {
  const auto says = [&](std::string_view text) { return error.message.find(text) != std::string::npos; };
  const bool attribute =
      error.code == message("bad_attribute").key && (says(" must be an integer") || says(" must be integers"));
  const bool index = error.code == message("index_kind").key || error.code == message("index_bound").key;
  if ((!attribute && !index) || error.labels.empty()) return {};
  const ArgumentLabel& label = error.labels.front();
  const auto number = static_cast<size_t>(label.argument);
  if (number >= written.size()) return {};
  if (std::string quotient = hint_for_quotient(written[number]); !quotient.empty()) return quotient;
  const bool one = label.text.ends_with(" f64") || label.text.ends_with(" f32");
  const bool literal = written[number].find_first_not_of("0123456789.") == std::string::npos;
  if (!attribute || !one || literal || !error.hint.empty()) return {};
  return "write i64(" + (is_quotable(written[number]) ? written[number] : "x") + ")";
}

// The length of a vector in a label, "a is f64[3]"; "" for other ranks.
std::string_view length_in(std::string_view label) {
  const size_t open = label.rfind('[');
  if (open == std::string_view::npos || !label.ends_with(']')) return {};
  const std::string_view inside = label.substr(open + 1, label.size() - open - 2);
  return inside.find_first_not_of("0123456789") == std::string_view::npos ? inside : std::string_view();
}

// [1, 2] + [3, 4, 5] joins lists elsewhere.
std::string hint_for_joined(const InterpreterHost& host, const OpError& error, const ops::Entry* entry,
                            std::span<const std::string> written) {
  if (error.code != message("pointwise_shapes").key || error.labels.size() != 2 || written.size() < 2) return {};
  if (entry != host.operator_of(Operator::add).entry) return {};
  for (const ArgumentLabel& label : error.labels) {
    if (length_in(label.text).empty()) return {};
  }
  const bool plain = is_quotable(written[0]) && is_quotable(written[1]);
  return "to join vectors, write concat((" + (plain ? written[0] + ", " + written[1] : "a, b") + "))";
}

// [f(x) for x in xs] is one tensor, where parts are wanted; with results of several shapes it is nothing.
std::string hint_for_comprehension(const OpError& error, std::span<const std::string> written) {
  if (error.code == message("examples_differ").key && error.message.starts_with("a comprehension:"))
    return "a list keeps results of several shapes: write list(e for …)";
  if (error.code != message("join_tensors").key || written.empty()) return {};
  const std::string& parts = written[0];
  if (!parts.starts_with('[') || parts.find(" for ") == std::string::npos) return {};
  const std::string inside = parts.substr(1, parts.size() - 2);
  return "brackets make one tensor: write list(" + (is_quotable(inside) ? inside : "e for …") + ") instead";
}

}  // namespace

bool is_quotable(std::string_view text) {
  constexpr size_t longest = 24;  // bytes
  return !text.empty() && text.size() <= longest && text.find('\n') == std::string_view::npos;
}

std::string hint_for_quotient(std::string_view written) {
  const auto place = place_of_quotient(written);
  if (!place) return {};
  std::string whole(written);
  whole.insert(*place, "/");
  return "`/` gives a float: write " + (is_quotable(whole) && !place_of_quotient(whole) ? whole : "a // b");
}

std::string hint_for_operands(const InterpreterHost& host, const OpError& error, const ops::Entry* entry,
                              std::span<const std::string> written) {
  if (std::string integer = hint_for_integer(error, written); !integer.empty()) return integer;
  if (std::string made = hint_for_comprehension(error, written); !made.empty()) return made;
  if (!error.hint.empty()) return error.hint;
  if (std::string text = hint_for_text(host, error, entry); !text.empty()) return text;
  if (std::string bits = hint_for_bits(host, error, entry, written); !bits.empty()) return bits;
  return hint_for_joined(host, error, entry, written);
}

}  // namespace covec
