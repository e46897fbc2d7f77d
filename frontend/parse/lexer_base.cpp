// Newlines and brackets; strings are in lexer_strings.cpp.
#include "frontend/parse/lexer_base.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "CovecLexer.h"
#include "frontend/parse/lexer_checks.hpp"
#include "frontend/source/unicode.hpp"

namespace covec::grammar {

namespace {

// A token, its note, and its place in the stream and in the tree.
constexpr size_t bytes_of_token = sizeof(antlr4::CommonToken) + sizeof(TokenNote) + 112;

using L = CovecLexer;

// After these a line goes on.
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

// `fn (` begins an expression; `fn name`, and `fn` with a keyword for a name by mistake, a definition.
bool is_unnamed_fn(const antlr4::Token& token, std::string_view text) {
  size_t next = text.find_first_not_of(" \t", token.getStopIndex() + 1);
  return next != std::string_view::npos && text[next] == '(';
}

bool is_word_in(std::string_view text, size_t at) {
  at = text.find_first_not_of(" \t", at);
  if (at == std::string_view::npos || text.substr(at, 2) != "in") return false;
  return at + 2 == text.size() || (text[at + 2] != '_' && (text[at + 2] & 0x80) == 0 &&
                                   std::isalnum(static_cast<unsigned char>(text[at + 2])) == 0);
}

// A line that begins with `.name` goes on with the one before.
bool continues_line(const antlr4::Token& token, std::string_view text) {
  size_t after = token.getStopIndex() + 1;
  if (token.getType() != L::DOT || after >= text.size()) return false;
  return unicode::is_letter(unicode::decode(text, after).character);
}

void report_unclosed(const Bracket& bracket, Span before, TokenSpans& places) {
  Diagnostic& d =
      places.report(messages::message("unclosed_bracket"), bracket.span, {places.text().substr(bracket.span.begin, 1)});
  d.labels.front().text = "opened here";
  std::string closer = bracket.type == L::LPAREN ? ")" : bracket.type == L::LBRACKET ? "]" : "}";
  bool at_end = before.begin >= places.text().size();
  if (!at_end) d.labels.push_back({before, "expected `" + closer + "` before this"});
}

}  // namespace

void LexerBase::start(uint32_t file, std::string_view text, bool interactive, const TextLimits& limits, Meter& meter) {
  meter_ = &meter;
  places_ = TokenSpans(text, file);
  interactive_ = interactive;
  limits_ = limits;
  if (text.substr(0, 3) == "\xEF\xBB\xBF") _input->seek(3);  // a byte order mark
}

LexerBase::TokenPointer LexerBase::nextToken() {
  while (output_.empty()) {
    if (places_.problems().size() >= limits_.problems) throw TooMany();
    meter_->use(bytes_of_token);
    skip_blanks();
    arrange(antlr4::Lexer::nextToken());
  }
  return output_.take();
}

// Spaces and comments, which the grammar's rules would drop too, but with ten times the work.
void LexerBase::skip_blanks() {
  if (mode != L::DEFAULT_MODE) return;
  std::string_view text = places_.text();
  size_t at = _input->index();
  size_t begin = at;
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  if (at < text.size() && text[at] == '#') at = std::min(text.find_first_of("\r\n", at), text.size());
  if (at != begin) _input->seek(at);
}

// Puts a token out and notes what surrounds it.
void LexerBase::deliver(TokenPointer token) {
  TokenNote note;
  note.depth = static_cast<uint32_t>(brackets_.size());
  if (!brackets_.empty()) note.opener = brackets_.innermost().token;
  note.starts_line = line_.take_start();
  bool expression = token->getType() == L::FN && is_unnamed_fn(*token, places_.text());
  if (expression) static_cast<antlr4::CommonToken&>(*token).setType(L::FN_EXPRESSION);
  lambda_brace_.see(token->getType());
  output_.put(std::move(token), note);
}

LexerBase::TokenPointer LexerBase::synthesize(size_t type, size_t at) {
  return std::make_unique<antlr4::CommonToken>(std::pair<antlr4::TokenSource*, antlr4::CharStream*>(this, _input), type,
                                               antlr4::Token::DEFAULT_CHANNEL, at, at - 1);
}

void LexerBase::arrange(TokenPointer token) {
  size_t type = token->getType();
  if (type == L::NEWLINE) return note_newline(*token);
  if (type == L::UNEXPECTED) return report_unexpected(*token, places_);
  if (type == L::EOF && mode != L::DEFAULT_MODE) {
    places_.report(messages::message("unclosed_string"), fstrings_.back());
    if (mode == L::FORMAT) leave_interpolation(output_.previous_end());
    leave_fstring(output_.previous_end());
    return arrange(std::move(token));
  }
  if (starts_statement(*token)) {
    close_unclosed(0, *token);
    line_.expect_newline(output_.previous_end());
  }
  flush_newline(*token);
  switch (type) {
    case L::FOR: brackets_.clauses().begin(!brackets_.in_block() || ends_operand(output_.previous())); break;
    case L::IF:
      if (brackets_.clauses().generator) static_cast<antlr4::CommonToken&>(*token).setType(L::FILTER);
      break;
    case L::COMMA: brackets_.clauses().comma(); break;
    case L::NOT:
    case L::IN:
      if (joins_in(*token)) return;
      settle_in(*token);
      break;
    case L::NAME:
      if (!becomes_update(*token)) check_name(*token, places_);
      break;
    case L::BAD_NUMBER: report_bad_number(*token, places_); break;
    case L::OPEN_STRING: report_open_string(*token); break;
    case L::FSTRING_START: fstrings_.push_back(places_.span(*token)); break;
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
      if (!brackets_.in_interpolation()) break;
      static_cast<antlr4::CommonToken&>(*token).setType(L::FORMAT_COLON);
      setMode(L::FORMAT);
      break;
    case L::EOF: return arrange_end(std::move(token));
    default: break;
  }
  deliver(std::move(token));
}

// `not in` is one operator: its `in` is dropped.
bool LexerBase::joins_in(antlr4::Token& token) {
  if (token.getType() == L::IN) return std::exchange(in_is_taken_, false);
  in_is_taken_ = ends_operand(output_.previous()) && is_word_in(places_.text(), token.getStopIndex() + 1);
  if (in_is_taken_) static_cast<antlr4::CommonToken&>(token).setType(L::NOT_IN);
  return false;
}

void LexerBase::settle_in(antlr4::Token& token) {
  if (token.getType() != L::IN || brackets_.clauses().takes_in()) return;
  static_cast<antlr4::CommonToken&>(token).setType(L::IN_OPERATOR);
}

// `x max= v`, of which max would be a name elsewhere: max=3 is an assignment, f(max=3) an argument.
bool LexerBase::becomes_update(antlr4::Token& token) {
  const std::string_view name = places_.text(token);
  if ((name != "max" && name != "min") || !ends_operand(output_.previous())) return false;
  const std::string_view after = places_.text().substr(token.getStopIndex() + 1, 2);
  if (!after.starts_with('=') || after == "==") return false;
  auto& update = static_cast<antlr4::CommonToken&>(token);
  update.setType(L::UPDATE);
  update.setStopIndex(token.getStopIndex() + 1);
  rewind(token.getStopIndex() + 1);
  return true;
}

// --- newlines ---

// A newline after a token of this type ends a statement (or a record's field).
bool LexerBase::ends_statement(size_t type) const {
  bool nothing_to_end = type == 0 || type == L::NEWLINE || type == L::SEMICOLON || type == L::LBRACE;
  return brackets_.in_block() && !nothing_to_end && !expects_more(type);
}

bool LexerBase::ends_in_sign() const { return output_.previous() == L::PLUS || output_.previous() == L::MINUS; }

void LexerBase::note_newline(const antlr4::Token& token) {
  if (ends_in_sign()) check_increment(output_.previous_end(), places_);
  line_.begin(token.getStopIndex() + 1);
  if (line_.newline_pending() || !ends_statement(output_.previous())) return;
  line_.expect_newline(token.getStartIndex());
}

// `else` and `catch` behind a block's brace. At a prompt a whole `if` is done at once.
bool LexerBase::continues_block(const antlr4::Token& next) const {
  const bool continues = next.getType() == L::ELSE || next.getType() == L::CATCH;
  return continues && output_.previous() == L::RBRACE && !(interactive_ && brackets_.empty());
}

// Puts out the newline before `next`, if there is one that counts; the end of a block or of the text is one.
void LexerBase::flush_newline(const antlr4::Token& next) {
  bool closes_block = next.getType() == L::RBRACE && !brackets_.empty() && brackets_.innermost().type == L::LBRACE;
  bool end = closes_block || next.getType() == L::EOF;
  if (!line_.newline_pending() && end && ends_statement(output_.previous())) {
    line_.expect_newline(output_.previous_end());
  }
  if (!line_.newline_pending()) return;
  size_t at = line_.take_newline();
  if (continues_line(next, places_.text()) || continues_block(next)) return;
  bool starts_line = line_.take_start();
  brackets_.clauses().end_line();
  deliver(synthesize(L::NEWLINE, at));
  line_.restore_start(starts_line);
}

// A line that starts with a word no expression contains: inside ( or [ it shows that the bracket was forgotten.
bool LexerBase::starts_statement(const antlr4::Token& token) const {
  if (!line_.started() || brackets_.in_block() || brackets_.in_interpolation()) return false;
  switch (token.getType()) {
    case L::RETURN:
    case L::WHILE:
    case L::IMPORT:
    case L::ASSERT:
    case L::TRY:
    case L::BREAK:
    case L::CONTINUE: return true;
    case L::FN: return !is_unnamed_fn(token, places_.text());
    default: return false;
  }
}

// --- brackets ---

void LexerBase::arrange_opener(TokenPointer token) {
  Bracket bracket{token->getType(), output_.next_number(), places_.span(*token), nullptr, nullptr, {}};
  bool group = bracket.type == L::LPAREN && !ends_operand(output_.previous());
  if (group) bracket.opens_operand = static_cast<antlr4::CommonToken*>(token.get());
  if (brackets_.size() >= limits_.nesting) {
    throw TooDeep{
        messages::make(messages::message("nested_too_deeply"), bracket.span, {std::to_string(limits_.nesting)})};
  }
  if (bracket.type == L::FSTRING_OPEN) pushMode(L::DEFAULT_MODE);
  if (bracket.type == L::LPAREN) bracket.key_of = lambda_brace_.begin_key();
  const bool after_lambda = bracket.type == L::LBRACE && output_.after_lambda_arrow();
  auto* opener = static_cast<antlr4::CommonToken*>(token.get());
  deliver(std::move(token));
  if (after_lambda) lambda_brace_.open(opener);
  brackets_.open(bracket);
}

void LexerBase::arrange_closer(TokenPointer token) {
  if (brackets_.empty()) {
    places_.report(messages::message("unmatched_closer"), places_.span(*token), {places_.text(*token)});
    return;
  }
  size_t opener = brackets_.find_opener(token->getType());
  if (opener < brackets_.size()) {
    close_unclosed(opener + 1, *token);
  } else {
    const Bracket& top = brackets_.innermost();
    Diagnostic& d = places_.report(messages::message("mismatched_bracket"), places_.span(*token),
                                   {places_.text(*token), places_.text().substr(top.span.begin, 1)});
    d.labels.push_back({top.span, "opened here"});
  }
  close_top(std::move(token));
}

void LexerBase::close_top(TokenPointer token) {
  Bracket opener = brackets_.close();
  bool ends_interpolation = opener.type == L::FSTRING_OPEN && token->getType() != L::FSTRING_CLOSE;
  if (ends_interpolation) popMode();
  static_cast<antlr4::CommonToken&>(*token).setType(closer_of(opener.type));
  deliver(std::move(token));
  output_.closes_group(opener.opens_operand);
  if (opener.key_of != nullptr) lambda_brace_.end_key(opener.key_of);
}

// Closes all brackets but the outermost `keep`, or down to the innermost block; the innermost is reported.
void LexerBase::close_unclosed(size_t keep, const antlr4::Token& before) {
  if (brackets_.size() <= keep) return;
  report_unclosed(brackets_.innermost(), places_.span(before), places_);
  while (brackets_.size() > keep && !brackets_.in_block() && !brackets_.in_interpolation()) {
    size_t closer = closer_of(brackets_.close().type);
    deliver(synthesize(closer, output_.previous_end()));
  }
}

void LexerBase::arrange_end(TokenPointer token) {
  if (ends_in_sign()) check_increment(output_.previous_end(), places_);
  if (!brackets_.empty() && !interactive_) report_unclosed(brackets_.innermost(), places_.span(*token), places_);
  deliver(std::move(token));
}

}  // namespace covec::grammar
