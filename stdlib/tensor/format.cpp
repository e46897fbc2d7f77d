// Formats numbers and strings by a format specification, with Python's results. Digits come from std::to_chars, exact
// at any precision. Start at format_value; print.cpp lays out tensors and trees.
#include "stdlib/tensor/format.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "stdlib/tensor/number_text.hpp"
#include "stdlib/tensor/print.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

namespace {

[[noreturn]] void bad_format(const FormatSpec& spec, std::string_view what, std::string why) {
  fail(message("format_value"), {std::string(what), spec.text, std::move(why)});
}

std::string type_text(const FormatSpec& spec) { return std::string("type '") + spec.type + "'"; }

// "1234567" → "1,234,567", with zeros in front until `width` characters are there.
std::string grouped(std::string digits, char separator, size_t group, size_t width) {
  const auto grouped_size = [&](size_t count) { return count + (count - 1) / group; };
  while (grouped_size(digits.size()) < width) digits.insert(0, 1, '0');
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % group == 0) out += separator;
    out += digits[i];
  }
  return out;
}

// Groups the integer part of a number's text and pads with zeros where the spec says so.
std::string with_grouping(const FormatSpec& spec, const std::string& prefix, const std::string& text, size_t group) {
  if (spec.grouping == 0) return text;
  const size_t end = std::min(text.find_first_not_of("0123456789abcdefABCDEF"), text.size());
  const size_t exponent = group == 3 ? std::min(text.find_first_of("eE"), end) : end;
  const size_t integer = std::min(end, exponent);
  if (integer == 0) return text;  // nan, inf
  const std::string rest = text.substr(integer);
  const bool zeros = spec.fill == "0" && spec.align == '=';
  const size_t taken = prefix.size() + rest.size();
  const auto width = static_cast<size_t>(spec.width);
  return grouped(text.substr(0, integer), spec.grouping, group, zeros && width > taken ? width - taken : 0) + rest;
}

std::string sign_text(const FormatSpec& spec, bool negative) {
  if (negative) return "-";
  return spec.sign == '-' ? "" : std::string(1, spec.sign);
}

std::string utf8_of(uint32_t code) {
  const auto tail = [&](unsigned shift) { return static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xc0 | code >> 6), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xe0 | code >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | code >> 18), tail(12), tail(6), tail(0)};
}

std::string format_character(int64_t code, const FormatSpec& spec) {
  if (spec.sign != '-') bad_format(spec, "a character", "a sign is not allowed");
  if (spec.alternate) bad_format(spec, "a character", "'#' is not allowed");
  if (spec.grouping != 0) bad_format(spec, "a character", "grouping is not allowed");
  if (code < 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
    bad_format(spec, std::to_string(code), "it is not a character code");
  }
  return padded(spec, "", utf8_of(static_cast<uint32_t>(code)), '<');
}

struct Base {
  int base;
  const char* prefix;
};
Base base_of(char type) {
  switch (type) {
    case 'b': return {2, "0b"};
    case 'o': return {8, "0o"};
    case 'x': return {16, "0x"};
    case 'X': return {16, "0X"};
    default: return {10, ""};
  }
}

std::string format_integer(int64_t number, const FormatSpec& spec) {
  if (spec.precision >= 0) bad_format(spec, "an integer", "a precision is not allowed");
  if (spec.no_negative_zero) bad_format(spec, "an integer", "'z' is not allowed");
  if (spec.type == 'c') return format_character(number, spec);
  const auto [base, base_prefix] = base_of(spec.type);
  if (spec.grouping == ',' && base != 10)
    bad_format(spec, "an integer", "',' cannot be combined with " + type_text(spec));
  if (spec.grouping != 0 && spec.type == 'n')
    bad_format(spec, "an integer", "grouping cannot be combined with " + type_text(spec));
  char digits[72];
  const uint64_t magnitude = number < 0 ? -static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
  const auto end = std::to_chars(digits, digits + sizeof digits, magnitude, base).ptr;
  std::string text(digits, end);
  if (spec.type == 'X')
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'a' ? static_cast<char>(c - 32) : c; });
  std::string prefix = sign_text(spec, number < 0);
  if (spec.alternate) prefix += base_prefix;
  text = with_grouping(spec, prefix, text, base == 10 ? 3 : 4);
  return padded(spec, std::move(prefix), std::move(text), '>');
}

std::string to_text(double value, std::chars_format format, int precision) {
  std::string out(static_cast<size_t>(precision) + 400, '\0');
  const auto end = std::to_chars(out.data(), out.data() + out.size(), value, format, precision).ptr;
  out.resize(static_cast<size_t>(end - out.data()));
  return out;
}

// The 'g' layout: `precision` significant digits, an exponent when it is < -4 or ≥ `limit`; trailing zeros go unless
// `keep`.
std::string general(double value, int precision, int limit, bool keep) {
  std::string text = to_text(value, std::chars_format::scientific, precision - 1);
  const size_t e = text.find('e');
  const int exponent = std::stoi(text.substr(e + 1));
  std::string tail;
  if (exponent < -4 || exponent >= limit) {
    tail = text.substr(e);
    text.resize(e);
  } else {
    text = to_text(value, std::chars_format::fixed, std::max(precision - 1 - exponent, 0));
  }
  if (text.find('.') != std::string::npos && !keep) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  } else if (text.find('.') == std::string::npos && keep) {
    text += '.';
  }
  return text + tail;
}

// No type: as print shows it, or with a precision like 'g' with a digit behind the point.
std::string plain(double value, const Value& scalar, const FormatSpec& spec) {
  if (spec.precision < 0) {
    std::string text = number_text(scalar);
    return text[0] == '-' ? text.substr(1) : text;
  }
  const int precision = std::max(spec.precision, 1);
  std::string text = general(value, precision, precision - 1, spec.alternate);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

// Digits of a value ≥ 0, without sign, padding and grouping.
std::string float_digits(double value, const Value& scalar, const FormatSpec& spec) {
  const int precision = spec.precision < 0 ? 6 : spec.precision;
  const auto pointed = [&](std::string text) {
    if (spec.alternate && text.find('.') == std::string::npos)
      text.insert(std::min(text.find('e'), text.size()), 1, '.');
    return text;
  };
  switch (spec.type) {
    case 'e':
    case 'E': return pointed(to_text(value, std::chars_format::scientific, precision));
    case 'f':
    case 'F': return pointed(to_text(value, std::chars_format::fixed, precision));
    case '%': return pointed(to_text(value * 100, std::chars_format::fixed, precision)) + "%";
    case 'g':
    case 'G':
    case 'n': return general(value, std::max(precision, 1), std::max(precision, 1), spec.alternate);
    default: return plain(value, scalar, spec);
  }
}

bool all_zero_digits(const std::string& text) {
  return text.find_first_of("123456789") == std::string::npos ||
         text.find_first_of("123456789") > text.find_first_of("eE");
}

std::string format_float(double value, const Value& scalar, const FormatSpec& spec) {
  if (spec.type == 's' || spec.type == 'c' || base_of(spec.type).base != 10 || spec.type == 'd') {
    bad_format(spec, "a float", type_text(spec) + " is for " + (spec.type == 's' ? "strings" : "integers"));
  }
  if (spec.grouping != 0 && spec.type == 'n')
    bad_format(spec, "a float", "grouping cannot be combined with " + type_text(spec));
  bool negative = std::signbit(value) && !std::isnan(value);
  std::string text;
  if (!std::isfinite(value) || (spec.type == '%' && !std::isfinite(value * 100))) {
    text = std::isnan(value) ? "nan" : "inf";
    if (spec.type == '%') text += "%";
  } else {
    text = float_digits(std::fabs(value), scalar, spec);
    negative = negative && !(spec.no_negative_zero && all_zero_digits(text));
  }
  if (spec.type == 'E' || spec.type == 'F' || spec.type == 'G') {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  }
  std::string prefix = sign_text(spec, negative);
  text = with_grouping(spec, prefix, text, 3);
  return padded(spec, std::move(prefix), std::move(text), '>');
}

std::string format_string(const std::string& text, const FormatSpec& spec) {
  if (spec.type != 0 && spec.type != 's') bad_format(spec, "a string", type_text(spec) + " is for numbers");
  if (spec.sign != '-' || spec.no_negative_zero) bad_format(spec, "a string", "a sign is for numbers");
  if (spec.alternate) bad_format(spec, "a string", "'#' is for numbers");
  if (spec.grouping != 0) bad_format(spec, "a string", "grouping is for numbers");
  FormatSpec own = spec;
  if (spec.align == '=') {
    if (spec.text.find('=') != std::string::npos) bad_format(spec, "a string", "'=' is for numbers");
    own.align = '<';  // it came from a leading 0
  }
  size_t bytes = 0;
  for (int taken = 0; bytes < text.size() && (spec.precision < 0 || taken < spec.precision); ++taken) {
    ++bytes;
    while (bytes < text.size() && (text[bytes] & 0xc0) == 0x80) ++bytes;
  }
  return padded(own, "", text.substr(0, bytes), '<');
}

double real_of(const Value& scalar) { return is_half(scalar.scalar_dtype()) ? shown_half(scalar) : scalar.real(); }

}  // namespace

Value plain_tree(const Value& value) {
  if (is_tree(value)) return map_leaves(value, plain_tree);
  return value.is_traced() ? concrete(value) : value;
}

std::string format_number(const Value& scalar, const FormatSpec& spec) {
  if (is_float(scalar.scalar_dtype())) return format_float(real_of(scalar), scalar, spec);
  if (spec.type == 's') bad_format(spec, "a number", type_text(spec) + " is for strings");
  if (scalar.scalar_dtype() == Dtype::boolean && spec.type == 0) return padded(spec, "", number_text(scalar), '>');
  const bool as_float = spec.type != 0 && std::string_view("eEfFgG%").find(spec.type) != std::string_view::npos;
  if (as_float) return format_float(real_of(scalar), Value(real_of(scalar)), spec);
  return format_integer(scalar.integer(), spec);
}

std::string format_value(const Value& value, std::string_view text) {
  const Value v = plain_tree(value);
  if (text.empty()) return text_of(v);
  const FormatSpec spec = parse_format_spec(text);
  if (v.is(ObjectKind::string)) return format_string(v.string().text, spec);
  if (v.is_scalar()) return format_number(v, spec);
  if (v.is_tensor() || is_tree(v)) return formatted_text(v, spec);
  bad_format(spec, describe(v), "only numbers, tensors, strings and trees of them have formats");
}

}  // namespace covec
