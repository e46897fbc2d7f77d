// See lexer_checks.hpp.
#include "frontend/parse/lexer_checks.hpp"

#include <algorithm>
#include <string>

#include "frontend/parse/parse.hpp"
#include "frontend/source/fixes.hpp"
#include "frontend/source/unicode.hpp"

namespace covec::grammar {

namespace {

// What was probably meant by a character that is not part of the language.
std::string_view hint_for(char32_t c) {
  switch (c) {
    case '!': return "write not";
    case '?': return "write a if c else b";
    case '$': return "put a value in the braces of an f-string: write f\"{x}\"";
    case '`':
    case U'\u201C':
    case U'\u201D':
    case U'\u2018':
    case U'\u2019': return "put a string in \" or '";
    case '\\': return "a line continues after an operator or inside brackets";
    case U'\u2212':
    case U'\u2013': return "write -";
    case U'\u00D7':
    case U'\u00B7': return "write *";
    case U'\u2264': return "write <=";
    case U'\u2265': return "write >=";
    case U'\u2260': return "write !=";
    case U'\u2192': return "write ->";
    case U'\u00A0': return "this is a no-break space; write a plain one";
    default: return {};
  }
}

bool continues_name(char c) { return unicode::continues_name(static_cast<unsigned char>(c)); }

// The same character means one thing in the middle of a line, another at its ends.
std::string_view hint_at(std::string_view text, size_t at) {
  const size_t line = text.find_last_of("\r\n", at) + 1;
  const size_t next = text.find_first_not_of(" \t", at + 1);
  const bool ends_line =
      next == std::string_view::npos || text[next] == '\n' || text[next] == '\r' || text[next] == '#';
  const bool starts_line = text.find_first_not_of(" \t", line) == at;
  switch (text[at]) {
    case '!':
      if (next == at + 1 && next + 1 < text.size() && text[next + 1] == '}' &&
          std::string_view("rsa").find(text[next]) < 3)
        return "an f-string shows a value unchanged: leave this out";
      if (at > 0 && continues_name(text[at - 1]) && next != std::string_view::npos && text[next] == '(')
        return "names have no `!`: write xs.push(v), x = sort(x)";
      break;
    case '?':
      if (starts_line) return "to read about a builtin, use ?name in the REPL or covec doc NAME on the command line";
      break;
    case '\\':
      if (!ends_line && !starts_line) return "write solve(A, b)";
      break;
    default: break;
  }
  return hint_for(static_cast<unsigned char>(text[at]));
}

// Names, keywords and numbers hold it.
bool in_word(char c) { return c == '_' || (c & 0x80) != 0 || std::isalnum(static_cast<unsigned char>(c)) != 0; }

size_t end_of_word(std::string_view text, size_t at) {
  while (at < text.size() && in_word(text[at])) ++at;
  return at;
}

// The place behind the bracket that is opened at `at`; npos where it is not closed.
size_t end_of_bracket(std::string_view text, size_t at) {
  for (size_t depth = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"' || c == '\'' || c == '#') return std::string_view::npos;  // whose text may have any bracket
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c != ')' && c != ']' && c != '}') continue;
    if (--depth == 0) return at + 1;
  }
  return std::string_view::npos;
}

// Whether `not` in place of the `!` that ends before `at` negates the same. `not` takes in the comparisons and signs
// that follow, where `!` has only its operand: a name, a number or a bracket, with calls, indices and fields.
bool negates_operand(std::string_view text, size_t at, bool in_group) {
  const auto skip = [&](std::string_view what) { at = std::min(text.find_first_not_of(what, at), text.size()); };
  const auto is_one_of = [&](std::string_view what) { return at < text.size() && what.find(text[at]) != what.npos; };
  skip("! \t");
  const size_t begin = at;
  at = is_one_of("([") ? end_of_bracket(text, at) : end_of_word(text, at);
  if (at == begin) return false;
  while (at < text.size() && is_one_of("([."))
    at = text[at] == '.' ? end_of_word(text, at + 1) : end_of_bracket(text, at);
  if (at > text.size()) return false;
  skip(in_group ? " \t\r\n" : " \t");
  if (at == text.size() || is_one_of(in_group ? ")]},;:" : ")]},;:{#\r\n") || text.substr(at, 2) == "&&" ||
      text.substr(at, 2) == "||")
    return true;
  constexpr std::string_view lower[] = {"and", "or", "if", "else", "for"};
  return std::ranges::find(lower, text.substr(at, end_of_word(text, at) - at)) != std::end(lower);
}

// Whether the word that ends before `at` is one of the language's, or there is none: an operand may follow.
bool takes_operand(std::string_view text, size_t at) {
  size_t begin = at;
  while (begin > 0 && in_word(text[begin - 1])) --begin;
  return begin == at || is_keyword(text.substr(begin, at - begin));
}

// 0b101 and 0o17 in decimal; "" where that is no number.
std::string in_decimal(std::string_view text) {
  uint64_t value = 0;
  const uint64_t base = text[1] == 'b' ? 2 : 8;
  for (char c : text.substr(2)) {
    const uint64_t digit = static_cast<uint64_t>(c - '0');
    if (digit >= base || value >> 59 != 0) return {};
    value = value * base + digit;
  }
  return text.size() > 2 ? std::to_string(value) : "";
}

std::string hint_for_number(std::string_view text) {
  const size_t end = std::min(text.find_first_not_of("0123456789._"), text.size());
  const std::string number(text.substr(0, end));
  const std::string_view suffix = text.substr(end);
  if (number == "0" && (suffix[0] == 'b' || suffix[0] == 'o')) {
    const std::string decimal = in_decimal(text);
    if (!decimal.empty()) return "write " + decimal;
  }
  const bool hexadecimal = number == "0" && (suffix.starts_with('x') || suffix.starts_with('X'));
  if (suffix.empty() || number.back() == '_' || hexadecimal) return {};
  for (std::string_view single : {"f", "F", "f0", "f32"}) {
    if (suffix == single) return "write f32(" + number + ")";
  }
  for (std::string_view integer : {"L", "l", "LL", "u", "U", "ul", "UL"}) {
    if (suffix == integer) return "write " + number;
  }
  if (suffix == "j" || suffix == "i" || suffix == "J" || suffix == "I") return "write " + number + "im";
  const bool exponent = (suffix[0] == 'e' || suffix[0] == 'E') && suffix.size() > 1;
  return exponent ? "" : "write " + number + " * " + std::string(suffix);
}

}  // namespace

void report_unexpected(const antlr4::Token& token, bool in_group, TokenSpans& places) {
  size_t at = token.getStartIndex();
  Diagnostic& d = places.report(messages::message("unexpected_character"), places.span(token),
                                {describe_character(places.text(), at)});
  d.hint = hint_at(places.text(), at);
  constexpr std::string_view write = "write ";
  if (!d.hint.starts_with(write) || d.hint.find(' ', write.size()) != std::string::npos) return;
  const Span span =
      places.span(static_cast<uint32_t>(at), static_cast<uint32_t>(at) + unicode::decode(places.text(), at).length);
  if (d.hint != "write not") {
    d.fix = Fix{span, d.hint.substr(write.size())};
    return;
  }
  if (!takes_operand(places.text(), at) || !negates_operand(places.text(), span.end, in_group)) return;
  d.fix = separate_word(places.text(), span, "not");
  const bool before_bracket = places.text().find_first_of("([", span.end) == span.end;
  if (before_bracket || places.text()[span.end] == '!') d.fix->text += " ";
}

void report_bad_number(const antlr4::Token& token, TokenSpans& places) {
  Diagnostic& d = places.report(messages::message("bad_number"), places.span(token), {places.text(token)});
  d.hint = hint_for_number(places.text(token));
  constexpr std::string_view write = "write ";
  if (d.hint.starts_with(write) && d.hint.find('*') == std::string::npos)
    d.fix = Fix{places.span(token), d.hint.substr(write.size())};
}

std::string_view hint_for_open_string(const antlr4::Token& quote, const TokenSpans& places) {
  const std::string_view text = places.text().substr(0, quote.getStartIndex());
  if (text.empty() || places.text()[text.size()] != '\'') return {};
  size_t word = text.size();
  while (word > 0 && continues_name(text[word - 1])) --word;
  if (word > 0 && text[word - 1] == '\'') return "write a quote in a string as \\', or put the string in \"";
  const bool matrix = word < text.size() || text.back() == ')' || text.back() == ']' || text.back() == '.';
  return matrix ? "write a transpose as A.T" : "";
}

void check_increment(size_t end, TokenSpans& places) {
  const std::string_view text = places.text().substr(0, end);
  const bool doubled = text.ends_with("++") || text.ends_with("--");
  if (!doubled || text.size() < 3) return;
  const char before = text[text.size() - 3];
  if (!continues_name(before) && before != ')' && before != ']') return;
  const Span span = places.span(static_cast<uint32_t>(end - 2), static_cast<uint32_t>(end));
  for (const Diagnostic& d : places.problems()) {
    if (d.labels.front().span.begin == span.begin) return;  // a blank line or the text's end after it
  }
  places.report(messages::message("unknown_word"), span,
                {places.text(span), text.back() == '+' ? "write x += 1" : "write x -= 1"});
}

void report_missing_brace(uint32_t begin, Span end, uint32_t behind, TokenSpans& places) {
  const Fix fix{places.span(behind, behind), " {"};
  std::string_view head = places.text(places.span(begin, end.end));
  head.remove_prefix(std::min(head.find_first_not_of(" \t}"), head.size()));
  if (head.starts_with("fn") || head.starts_with('@')) {
    places.report(messages::message("missing_body"), end, {"the end of the line"}).fix = fix;
    return;
  }
  std::string_view word = head.substr(0, head.find_first_of(" \t("));
  const size_t next = head.find_first_not_of(" \t", word.size());
  if (word == "else" && next != std::string_view::npos) word = "if";
  const std::string_view part = word == "for"                     ? "the head of "
                                : word == "if" || word == "while" ? "the condition of "
                                                                  : "";
  places
      .report(messages::message("missing_block"), end,
              {std::string(part) + "`" + std::string(word) + "`", "the end of the line"})
      .fix = fix;
}

void check_name(const antlr4::Token& token, TokenSpans& places) {
  std::string_view name = places.text(token);
  for (size_t i = 0; i < name.size();) {
    unicode::Decoded d = unicode::decode(name, i);
    bool good = i == 0 ? unicode::is_letter(d.character) : unicode::continues_name(d.character);
    if (!good) {
      uint32_t begin = static_cast<uint32_t>(token.getStartIndex() + i);
      Diagnostic& problem =
          places.report(messages::message("unexpected_character"), places.span(begin, begin + d.length),
                        {describe_character(places.text(), begin)});
      problem.hint = hint_for(d.character);
      return;
    }
    i += d.length;
  }
}

}  // namespace covec::grammar
