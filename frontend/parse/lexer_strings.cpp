// Handles unclosed strings and f-strings, and the braces of f-strings. It repairs reported errors as far as the rest of
// the line can still be read.
#include "CovecLexer.h"
#include "frontend/parse/lexer_base.hpp"
#include "frontend/parse/lexer_checks.hpp"

namespace covec::grammar {

using L = CovecLexer;

void LexerBase::report_open_string(const antlr4::Token& token) {
  bool in_interpolation = !fstrings_.empty() && brackets_.in_interpolation();
  if (in_interpolation) {
    places_.report(messages::message("unclosed_interpolation"), brackets_.innermost().span);
  } else {
    Diagnostic& d = places_.report(messages::message("unclosed_string"), places_.span(token));
    if (auto hint = hint_for_open_string(token, places_); !hint.empty()) d.hint = hint;
  }
  forget_line();
}

// An open string has swallowed the rest of its line: what was opened on this line will not be closed.
void LexerBase::forget_line() {
  while (!brackets_.empty() && brackets_.innermost().type != L::LBRACE &&
         brackets_.innermost().span.begin >= line_.begin()) {
    if (brackets_.in_interpolation()) {
      popMode();
      popMode();
      fstrings_.pop_back();
    }
    brackets_.close();
  }
}

void LexerBase::arrange_broken_fstring(TokenPointer token) {
  size_t at = token->getStartIndex();
  char c = places_.text()[at];
  if (mode == L::FORMAT) {
    if (c == '{') return skip_nested_format(*token);
    places_.report(messages::message("unclosed_interpolation"), brackets_.innermost().span);
    leave_interpolation(at);
    if (c != '\r' && c != '\n') return rewind(at);
    leave_fstring(at);
    forget_line();
    return rewind(at);
  }
  if (c == '}') {
    places_.report(messages::message("single_brace"), places_.span(*token));
    static_cast<antlr4::CommonToken&>(*token).setType(L::FSTRING_TEXT);
    return deliver(std::move(token));
  }
  places_.report(messages::message("unclosed_string"), places_.span(fstrings_.back().begin, static_cast<uint32_t>(at)));
  leave_fstring(at);
  if (c == '\r' || c == '\n') forget_line();
  rewind(c == '\\' ? at + 1 : at);
}

// A brace in a format, with what it would enclose.
void LexerBase::skip_nested_format(const antlr4::Token& brace) {
  places_.report(messages::message("format_text"), places_.span(brace));
  size_t end = places_.text().find_first_of("}\r\n", brace.getStartIndex());
  if (end == std::string_view::npos) return;
  rewind(places_.text()[end] == '}' ? end + 1 : end);
}

// Out of the format of an interpolation, to the f-string's text.
void LexerBase::leave_interpolation(size_t at) {
  brackets_.close();
  popMode();
  deliver(synthesize(L::FSTRING_CLOSE, at));
}

void LexerBase::leave_fstring(size_t at) {
  fstrings_.pop_back();
  popMode();
  deliver(synthesize(L::FSTRING_END, at));
}

// Reads on from `to`, in the mode now set.
void LexerBase::rewind(size_t to) {
  _input->seek(to);
  hitEOF = to >= places_.text().size();
}

}  // namespace covec::grammar
