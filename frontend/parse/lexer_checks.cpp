// The checks of single tokens: characters that belong to nothing, names of other letters, strings and f-strings left
// open. What is reported here is repaired as far as the rest of the line can still be read.
#include "CovecLexer.h"
#include "frontend/parse/lexer_base.hpp"
#include "frontend/parse/text.hpp"
#include "frontend/source/unicode.hpp"

namespace covec::grammar {

namespace {

using L = CovecLexer;

// What was probably meant by a character that is not part of the language.
std::string_view hint_for(char32_t c) {
  switch (c) {
    case '!': return "write not";
    case '?': return "write a if c else b";
    case '`':
    case U'\u201C':
    case U'\u201D':
    case U'\u2018':
    case U'\u2019': return "strings stand in \" or '";
    case '\\': return "a line goes on after an operator or inside brackets";
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

}  // namespace

Diagnostic& LexerBase::report(const messages::Message& message, Span span,
                              std::initializer_list<std::string_view> values) {
  problems_.push_back(messages::make(message, span, values));
  return problems_.back();
}

void LexerBase::report_unexpected(const antlr4::Token& token) {
  size_t at = token.getStartIndex();
  Diagnostic& d = report(messages::message("unexpected_character"), span_of(token), {describe_character(text_, at)});
  d.hint = hint_for(static_cast<unsigned char>(text_[at]));
}

// The grammar takes every character past ASCII for a letter; here it is looked up.
void LexerBase::check_name(const antlr4::Token& token) {
  std::string_view name = text_of(token);
  for (size_t i = 0; i < name.size();) {
    unicode::Decoded d = unicode::decode(name, i);
    bool good = i == 0 ? unicode::is_letter(d.character) : unicode::continues_name(d.character);
    if (!good) {
      uint32_t begin = static_cast<uint32_t>(token.getStartIndex() + i);
      Diagnostic& problem = report(messages::message("unexpected_character"), {file_, begin, begin + d.length},
                                   {describe_character(text_, begin)});
      problem.hint = hint_for(d.character);
      return;
    }
    i += d.length;
  }
}

void LexerBase::report_open_string(const antlr4::Token& token) {
  bool in_interpolation = !fstrings_.empty() && !brackets_.empty() && brackets_.back().type == L::FSTRING_OPEN;
  if (in_interpolation) {
    report(messages::message("unclosed_interpolation"), brackets_.back().span);
  } else {
    report(messages::message("unclosed_string"), span_of(token));
  }
  forget_line();
}

// An open string has swallowed the rest of its line: what was opened on this line will not be closed.
void LexerBase::forget_line() {
  while (!brackets_.empty() && brackets_.back().type != L::LBRACE && brackets_.back().span.begin >= line_begin_) {
    if (brackets_.back().type == L::FSTRING_OPEN) {
      popMode();
      popMode();
      fstrings_.pop_back();
    }
    brackets_.pop_back();
  }
}

void LexerBase::arrange_broken_fstring(TokenPointer token) {
  size_t at = token->getStartIndex();
  char c = text_[at];
  if (mode == L::FORMAT) {
    if (c == '{') return skip_nested_format(*token);
    report(messages::message("unclosed_interpolation"), brackets_.back().span);
    leave_interpolation(at);
    return rewind(at);
  }
  if (c == '}') {
    report(messages::message("single_brace"), span_of(*token));
    static_cast<antlr4::CommonToken&>(*token).setType(L::FSTRING_TEXT);
    return deliver(std::move(token));
  }
  report(messages::message("unclosed_string"), {file_, fstrings_.back().begin, static_cast<uint32_t>(at)});
  leave_fstring(at);
  rewind(c == '\\' ? at + 1 : at);
}

// A brace in a format, with what it would enclose.
void LexerBase::skip_nested_format(const antlr4::Token& brace) {
  report(messages::message("format_text"), span_of(brace));
  size_t end = text_.find_first_of("}\r\n", brace.getStartIndex());
  if (end == std::string_view::npos) return;
  rewind(text_[end] == '}' ? end + 1 : end);
}

// Out of the format of an interpolation, to the f-string's text.
void LexerBase::leave_interpolation(size_t at) {
  brackets_.pop_back();
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
  hitEOF = to >= text_.size();
}

LexerBase::TokenPointer LexerBase::synthesize(size_t type, size_t at) {
  return std::make_unique<antlr4::CommonToken>(std::pair<antlr4::TokenSource*, antlr4::CharStream*>(this, _input), type,
                                               antlr4::Token::DEFAULT_CHANNEL, at, at - 1);
}

Span LexerBase::span_of(const antlr4::Token& token) const { return covec::grammar::span_of(token, file_); }

std::string_view LexerBase::text_of(const antlr4::Token& token) const {
  Span span = span_of(token);
  return text_.substr(span.begin, span.end - span.begin);
}

}  // namespace covec::grammar
