// See line_ends.hpp.
#include "frontend/parse/layout/line_ends.hpp"

#include <algorithm>

#include "CovecLexer.h"
#include "frontend/source/unicode.hpp"

namespace covec::grammar {

namespace {

using L = CovecLexer;

constexpr std::string_view kBlanks = " \t";

bool in_name(char c) {
  return (static_cast<unsigned char>(c) & 0x80) != 0 || unicode::continues_name(static_cast<unsigned char>(c));
}

size_t skip_blanks(std::string_view text, size_t at) {
  return std::min(text.find_first_not_of(kBlanks, at), text.size());
}

// `fn` begins one only with a name behind it.
bool is_statement_word(std::string_view word, std::string_view after) {
  for (std::string_view each : {"return", "while", "import", "assert", "try", "break", "continue", "if", "for"}) {
    if (word == each) return true;
  }
  return word == "fn" && !after.starts_with('(');
}

// `=`, or the sign of an update.
bool is_assignment(std::string_view sign) {
  if (sign.starts_with("==")) return false;
  if (sign.starts_with('=')) return true;
  for (std::string_view each : {"+=", "-=", "*=", "/=", "//=", "%=", "^=", "**=", "@=", "&=", "|=", "<<=", ">>="}) {
    if (sign.starts_with(each)) return true;
  }
  return false;
}

}  // namespace

bool expects_more(size_t type) {
  switch (type) {
    case L::AND:
    case L::OR:
    case L::NOT:
    case L::IN:
    case L::IN_OPERATOR:
    case L::NOT_IN:
    case L::COMMA:
    case L::COLON:
    case L::ARROW:
    case L::POWER:
    case L::PLUS:
    case L::MINUS:
    case L::TILDE:
    case L::STAR:
    case L::SLASH:
    case L::FLOOR_DIVIDE:
    case L::PERCENT:
    case L::AT:
    case L::SHIFT_LEFT:
    case L::SHIFT_RIGHT:
    case L::LESS:
    case L::LESS_EQUAL:
    case L::GREATER:
    case L::GREATER_EQUAL:
    case L::EQUAL:
    case L::NOT_EQUAL:
    case L::AMPERSAND:
    case L::PIPE:
    case L::ASSIGN:
    case L::UPDATE: return true;
    default: return false;
  }
}

size_t next_token(std::string_view text, size_t at) {
  for (;;) {
    at = std::min(text.find_first_not_of(" \t\r\n", at), text.size());
    if (at == text.size() || text[at] != '#') return at;
    at = std::min(text.find_first_of("\r\n", at), text.size());
  }
}

bool statement_follows(size_t last, std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && in_name(text[end])) ++end;
  if (end == at) return false;
  const std::string_view after = text.substr(skip_blanks(text, end));
  return is_statement_word(text.substr(at, end - at), after) || (last != L::COMMA && is_assignment(after));
}

bool is_unnamed_fn(const antlr4::Token& token, std::string_view text) {
  size_t next = text.find_first_not_of(" \t", token.getStopIndex() + 1);
  return next != std::string_view::npos && text[next] == '(';
}

bool begins_statement(const antlr4::Token& token, std::string_view text) {
  switch (token.getType()) {
    case L::RETURN:
    case L::WHILE:
    case L::IMPORT:
    case L::ASSERT:
    case L::TRY:
    case L::BREAK:
    case L::CONTINUE: return true;
    case L::FN: return !is_unnamed_fn(token, text);
    default: return false;
  }
}

bool continues_line(const antlr4::Token& token, std::string_view text) {
  size_t after = token.getStopIndex() + 1;
  if (token.getType() != L::DOT || after >= text.size()) return false;
  return unicode::is_letter(unicode::decode(text, after).character);
}

bool continues_block(const antlr4::Token& token, size_t previous) {
  return previous == L::RBRACE && (token.getType() == L::ELSE || token.getType() == L::CATCH);
}

}  // namespace covec::grammar
