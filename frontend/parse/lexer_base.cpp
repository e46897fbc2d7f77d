// Newlines and brackets; the checks of single tokens are in lexer_checks.cpp.
#include "frontend/parse/lexer_base.hpp"

#include <algorithm>

#include "CovecLexer.h"
#include "frontend/source/unicode.hpp"

namespace covec::grammar {

namespace {

using L = CovecLexer;

// After these a line goes on.
bool expects_more(size_t type) {
  switch (type) {
    case L::AND:
    case L::OR:
    case L::NOT:
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

size_t closer_of(size_t opener) {
  switch (opener) {
    case L::LPAREN: return L::RPAREN;
    case L::LBRACKET: return L::RBRACKET;
    case L::LBRACE: return L::RBRACE;
    default: return L::FSTRING_CLOSE;
  }
}

// After these a parenthesis is a call, not the start of an operand.
bool ends_operand(size_t type) {
  switch (type) {
    case L::NAME:
    case L::STRING:
    case L::FSTRING_END:
    case L::RPAREN:
    case L::RBRACKET:
    case L::RBRACE:
    case L::INTEGER:
    case L::FLOAT:
    case L::TRUE:
    case L::FALSE:
    case L::NONE:
    case L::FN_EXPRESSION: return true;
    default: return false;
  }
}

bool closes(size_t closer, size_t opener) {
  return closer_of(opener) == closer || (closer == L::RBRACE && opener == L::FSTRING_OPEN);
}

}  // namespace

void LexerBase::start(uint32_t file, std::string_view text, bool interactive) {
  file_ = file;
  text_ = text;
  interactive_ = interactive;
  if (text_.substr(0, 3) == "\xEF\xBB\xBF") _input->seek(3);  // a byte order mark
}

LexerBase::TokenPointer LexerBase::nextToken() {
  while (ready_.empty()) {
    skip_blanks();
    arrange(antlr4::Lexer::nextToken());
  }
  TokenPointer token = std::move(ready_.front());
  ready_.pop_front();
  return token;
}

// Spaces and comments, which the grammar's rules would drop too, but with ten times the work.
void LexerBase::skip_blanks() {
  if (mode != L::DEFAULT_MODE) return;
  size_t at = _input->index();
  size_t begin = at;
  while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t')) ++at;
  if (at < text_.size() && text_[at] == '#') at = std::min(text_.find_first_of("\r\n", at), text_.size());
  if (at != begin) _input->seek(at);
}

// Puts a token out and notes what surrounds it.
void LexerBase::deliver(TokenPointer token) {
  TokenNote note;
  note.depth = static_cast<uint32_t>(brackets_.size());
  if (!brackets_.empty()) note.opener = brackets_.back().token;
  note.starts_line = line_started_;
  line_started_ = false;
  notes_.push_back(note);
  auto* common = static_cast<antlr4::CommonToken*>(token.get());
  tell_apart(*common);
  last_ = common;
  last_group_ = nullptr;
  previous_ = token->getType();
  if (token->getStopIndex() + 1 > previous_end_ && previous_ != L::EOF) previous_end_ = token->getStopIndex() + 1;
  ready_.push_back(std::move(token));
}

// `fn (` begins an expression; `fn name`, and `fn` with a keyword for a name by mistake, a definition.
bool LexerBase::is_unnamed_fn(const antlr4::Token& token) const {
  size_t next = text_.find_first_not_of(" \t", token.getStopIndex() + 1);
  return next != std::string_view::npos && text_[next] == '(';
}

// Sets the types that spare the parser a look ahead: of this token, or of an earlier one that this one explains.
void LexerBase::tell_apart(antlr4::CommonToken& token) {
  switch (token.getType()) {
    case L::FN:
      if (is_unnamed_fn(token)) token.setType(L::FN_EXPRESSION);
      return;
    case L::RPAREN:
    case L::RBRACKET:
      if (previous_ == L::COMMA) last_->setType(L::TRAILING_COMMA);
      return;
    case L::ARROW:
      if (previous_ == L::NAME) last_->setType(L::PARAMETER);
      if (last_group_ != nullptr) last_group_->setType(L::LAMBDA_PAREN);
      return;
    default: return;
  }
}

void LexerBase::arrange(TokenPointer token) {
  size_t type = token->getType();
  if (type == L::NEWLINE) return note_newline(*token);
  if (type == L::UNEXPECTED) return report_unexpected(*token);
  if (type == L::EOF && mode != L::DEFAULT_MODE) {
    report(messages::message("unclosed_string"), fstrings_.back());
    if (mode == L::FORMAT) leave_interpolation(previous_end_);
    leave_fstring(previous_end_);
    return arrange(std::move(token));
  }
  if (starts_statement(*token)) {
    close_unclosed(0, *token);
    newline_pending_ = true;
    newline_at_ = previous_end_;
  }
  flush_newline(*token);
  switch (type) {
    case L::NAME: check_name(*token); break;
    case L::BAD_NUMBER: report(messages::message("bad_number"), span_of(*token), {text_of(*token)}); break;
    case L::OPEN_STRING: report_open_string(*token); break;
    case L::FSTRING_START: fstrings_.push_back(span_of(*token)); break;
    case L::FSTRING_END: fstrings_.pop_back(); break;
    case L::FSTRING_BROKEN: return arrange_broken_fstring(std::move(token));
    case L::LPAREN:
    case L::LBRACKET:
    case L::LBRACE:
    case L::FSTRING_OPEN: return arrange_opener(std::move(token));
    case L::RPAREN:
    case L::RBRACKET:
    case L::RBRACE:
    case L::FSTRING_CLOSE: return arrange_closer(std::move(token));
    case L::COLON:
      if (brackets_.empty() || brackets_.back().type != L::FSTRING_OPEN) break;
      static_cast<antlr4::CommonToken&>(*token).setType(L::FORMAT_COLON);
      setMode(L::FORMAT);
      break;
    case L::EOF: return arrange_end(std::move(token));
    default: break;
  }
  deliver(std::move(token));
}

// --- newlines ---

bool LexerBase::in_block() const { return brackets_.empty() || brackets_.back().type == L::LBRACE; }

// A newline after a token of this type ends a statement (or a record's field).
bool LexerBase::ends_statement(size_t type) const {
  bool nothing_to_end = type == 0 || type == L::NEWLINE || type == L::SEMICOLON || type == L::LBRACE;
  return in_block() && !nothing_to_end && !expects_more(type);
}

void LexerBase::note_newline(const antlr4::Token& token) {
  line_started_ = true;
  line_begin_ = token.getStopIndex() + 1;
  if (newline_pending_ || !ends_statement(previous_)) return;
  newline_pending_ = true;
  newline_at_ = token.getStartIndex();
}

// A line that begins with `.name` goes on with the one before.
bool LexerBase::continues_line(const antlr4::Token& token) const {
  size_t after = token.getStopIndex() + 1;
  if (token.getType() != L::DOT || after >= text_.size()) return false;
  return unicode::is_letter(unicode::decode(text_, after).character);
}

// Puts out the newline before `next`, if there is one that counts; the end of a block or of the text is one.
void LexerBase::flush_newline(const antlr4::Token& next) {
  bool closes_block = next.getType() == L::RBRACE && !brackets_.empty() && brackets_.back().type == L::LBRACE;
  bool end = closes_block || next.getType() == L::EOF;
  if (!newline_pending_ && end && ends_statement(previous_)) {
    newline_pending_ = true;
    newline_at_ = previous_end_;
  }
  if (!newline_pending_) return;
  newline_pending_ = false;
  if (continues_line(next)) return;
  bool starts_line = line_started_;
  line_started_ = false;
  deliver(synthesize(L::NEWLINE, newline_at_));
  line_started_ = starts_line;
}

// A line that starts with a word no expression contains: inside ( or [ it shows that the bracket was forgotten.
bool LexerBase::starts_statement(const antlr4::Token& token) const {
  if (!line_started_ || in_block() || brackets_.back().type == L::FSTRING_OPEN) return false;
  switch (token.getType()) {
    case L::RETURN:
    case L::WHILE:
    case L::IMPORT:
    case L::ASSERT:
    case L::BREAK:
    case L::CONTINUE: return true;
    case L::FN: return !is_unnamed_fn(token);
    default: return false;
  }
}

// --- brackets ---

void LexerBase::arrange_opener(TokenPointer token) {
  Bracket bracket{token->getType(), static_cast<uint32_t>(notes_.size()), span_of(*token), nullptr};
  bool group = bracket.type == L::LPAREN && !ends_operand(previous_);
  if (group) bracket.opens_operand = static_cast<antlr4::CommonToken*>(token.get());
  if (brackets_.size() >= kMaxNesting) {
    throw TooDeep{messages::make(messages::message("nested_too_deeply"), bracket.span, {std::to_string(kMaxNesting)})};
  }
  if (bracket.type == L::FSTRING_OPEN) pushMode(L::DEFAULT_MODE);
  deliver(std::move(token));
  brackets_.push_back(bracket);
}

// The number of the open bracket that `closer` closes, or of all brackets where it closes none. An interpolation is
// a wall: its text ends with it.
size_t LexerBase::find_opener(size_t closer) const {
  for (size_t i = brackets_.size(); i-- > 0;) {
    if (closes(closer, brackets_[i].type)) return i;
    if (brackets_[i].type == L::FSTRING_OPEN) break;
  }
  return brackets_.size();
}

void LexerBase::arrange_closer(TokenPointer token) {
  if (brackets_.empty()) {
    report(messages::message("unmatched_closer"), span_of(*token), {text_of(*token)});
    return;
  }
  size_t opener = find_opener(token->getType());
  if (opener < brackets_.size()) {
    close_unclosed(opener + 1, *token);
  } else {
    const Bracket& top = brackets_.back();
    Diagnostic& d = report(messages::message("mismatched_bracket"), span_of(*token),
                           {text_of(*token), text_.substr(top.span.begin, 1)});
    d.labels.push_back({top.span, "opened here"});
  }
  close_top(std::move(token));
}

void LexerBase::close_top(TokenPointer token) {
  size_t opener = brackets_.back().type;
  antlr4::CommonToken* group = brackets_.back().opens_operand;
  brackets_.pop_back();
  bool ends_interpolation = opener == L::FSTRING_OPEN && token->getType() != L::FSTRING_CLOSE;
  if (ends_interpolation) popMode();
  static_cast<antlr4::CommonToken&>(*token).setType(closer_of(opener));
  deliver(std::move(token));
  last_group_ = group;
}

// Closes all brackets but the outermost `keep`, or down to the innermost block; the innermost is reported.
void LexerBase::close_unclosed(size_t keep, const antlr4::Token& before) {
  if (brackets_.size() <= keep) return;
  report_unclosed(brackets_.back(), span_of(before));
  while (brackets_.size() > keep && !in_block() && brackets_.back().type != L::FSTRING_OPEN) {
    size_t closer = closer_of(brackets_.back().type);
    brackets_.pop_back();
    deliver(synthesize(closer, previous_end_));
  }
}

void LexerBase::report_unclosed(const Bracket& bracket, Span before) {
  Diagnostic& d = report(messages::message("unclosed_bracket"), bracket.span, {text_.substr(bracket.span.begin, 1)});
  d.labels.front().text = "opened here";
  std::string closer = bracket.type == L::LPAREN ? ")" : bracket.type == L::LBRACKET ? "]" : "}";
  bool at_end = before.begin >= text_.size();
  if (!at_end) d.labels.push_back({before, "expected `" + closer + "` before this"});
}

void LexerBase::arrange_end(TokenPointer token) {
  if (!brackets_.empty() && !interactive_) report_unclosed(brackets_.back(), span_of(*token));
  deliver(std::move(token));
}

}  // namespace covec::grammar
