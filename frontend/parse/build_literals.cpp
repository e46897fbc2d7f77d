// See build_literals.hpp.
#include "frontend/parse/build_literals.hpp"

#include <locale.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "CovecParser.h"
#include "frontend/source/unicode.hpp"

namespace covec::grammar {

using messages::message;

namespace {

std::string without_underscores(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c != '_') out.push_back(c);
  }
  return out;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The character of a one-letter escape, or -1.
int simple_escape(char c) {
  switch (c) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case '0': return '\0';
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'v': return '\v';
    case '\\':
    case '\'':
    case '"': return c;
    default: return -1;
  }
}

// Of a number that no double is near: whether it is too small, not too large. from_chars does not say, and strtod
// follows the process's locale.
bool is_tiny(std::string_view digits) {
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  return std::abs(strtod_l(std::string(digits).c_str(), nullptr, plain)) < 1;
}

// Exactly `digits` hex digits, or {any number}; 0 where it is no character.
size_t code_point(std::string_view raw, size_t i, size_t digits, std::string& out) {
  bool braced = digits == 4 && i < raw.size() && raw[i] == '{';
  size_t begin = braced ? i + 1 : i;
  size_t end = begin;
  uint32_t value = 0;
  while (end < raw.size() && hex_value(raw[end]) >= 0 && end - begin < (braced ? 6 : digits)) {
    value = value * 16 + static_cast<uint32_t>(hex_value(raw[end++]));
  }
  bool complete = braced ? end > begin && end < raw.size() && raw[end] == '}' : end - begin == digits;
  bool is_character = value <= 0x10FFFF && !(value >= 0xD800 && value < 0xE000);
  if (!complete || !is_character) return 0;
  unicode::append(out, value);
  return braced ? end + 1 : end;
}

}  // namespace

ast::Expr* LiteralBuilder::number(const antlr4::Token& token) {
  auto* out = arena_.make<ast::Number>(places_.span(token));
  std::string digits = without_underscores(places_.text(token));
  out->is_float = token.getType() == CovecParser::FLOAT;
  out->imaginary = out->is_float && digits.ends_with("im");
  if (out->imaginary) digits.resize(digits.size() - 2);
  if (out->is_float)
    real(*out, digits, out->span);
  else
    integer(*out, std::move(digits), out->span);
  return out;
}

// Up to 2^63: what only a minus makes fit is checked by the resolver.
void LiteralBuilder::integer(ast::Number& out, std::string digits, Span span) {
  bool hex = digits.size() > 2 && (digits[1] == 'x' || digits[1] == 'X');
  const char* begin = digits.data() + (hex ? 2 : 0);
  auto [end, error] = std::from_chars(begin, digits.data() + digits.size(), out.integer, hex ? 16 : 10);
  bool fits = error == std::errc() && out.integer <= (uint64_t{1} << 63);
  if (!fits)
    places_.report(message("number_too_large"), span, {digits, "i64"}).hint = "write it as a float, with a dot";
}

void LiteralBuilder::real(ast::Number& out, const std::string& digits, Span span) {
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out.real);
  if (error != std::errc::result_out_of_range) return;
  out.real = 0;  // what no double is near: too small, or too large
  if (!is_tiny(digits)) {
    places_.report(message("number_too_large"), span, {digits, "f64"}).hint = "write infinity as inf";
  }
}

std::string_view LiteralBuilder::string_value(const antlr4::Token& token) {
  Span s = places_.span(token);
  return decode(places_.text().substr(s.begin + 1, s.end - s.begin - 2), s.begin + 1, false);
}

std::string_view LiteralBuilder::format_text(const antlr4::Token& token) {
  return decode(places_.text(token), places_.span(token).begin, true);
}

// The value of a text between quotes; `at` is where it starts. With `braces`, doubled braces are one (f-strings).
std::string_view LiteralBuilder::decode(std::string_view raw, uint32_t at, bool braces) {
  if (raw.find_first_of(braces ? "\\{}" : "\\") == std::string_view::npos) return raw;
  std::string out;
  for (size_t i = 0; i < raw.size();) {
    if (raw[i] == '\\') {
      i = escape(raw, i, at, out);
    } else {
      out.push_back(raw[i]);
      i += braces && (raw[i] == '{' || raw[i] == '}') ? 2 : 1;
    }
  }
  return arena_.text(out);
}

// Decodes the escape at raw[i]; gives the offset after it.
size_t LiteralBuilder::escape(std::string_view raw, size_t i, uint32_t at, std::string& out) {
  char c = raw[i + 1];
  int simple = simple_escape(c);
  if (simple >= 0) {
    out.push_back(static_cast<char>(simple));
    return i + 2;
  }
  size_t end = 0;
  if (c == 'x') end = code_point(raw, i + 2, 2, out);
  if (c == 'u') end = code_point(raw, i + 2, 4, out);
  if (end != 0) return end;
  uint32_t length = std::max<uint32_t>(1, unicode::decode(raw, i + 1).length);
  uint32_t begin = at + static_cast<uint32_t>(i);
  places_.report(message("bad_escape"), places_.span(begin, begin + 1 + length), {raw.substr(i + 1, length)});
  return i + 1 + length;
}

}  // namespace covec::grammar
