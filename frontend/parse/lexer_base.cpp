// Newlines and brackets; strings are in lexer_strings.cpp.
#include "frontend/parse/lexer_base.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "CovecLexer.h"
#include "frontend/parse/layout/line_ends.hpp"
#include "frontend/parse/lexer_checks.hpp"
#include "frontend/source/unicode.hpp"

namespace covec::grammar {

namespace {

// A token, its note, and its place in the stream and in the tree.
constexpr size_t bytes_of_token = sizeof(antlr4::CommonToken) + sizeof(TokenNote) + 112;

using L = CovecLexer;

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

bool is_closer(size_t type) {
  return type == L::RPAREN || type == L::RBRACKET || type == L::RBRACE || type == L::FSTRING_CLOSE;
}

// A second reading knows a brace that closes a block too early.
bool closes_nothing(const antlr4::Token& token, const Brackets& brackets, size_t line, const BracketRepairs& repairs) {
  if (brackets.find_opener(token.getType()) < brackets.size()) return repairs.is_extra(token.getStartIndex());
  const bool in_block_above =
      !brackets.empty() && brackets.innermost().type == L::LBRACE && brackets.innermost().span.begin < line;
  return brackets.empty() || in_block_above;
}

bool is_word_in(std::string_view text, size_t at) {
  at = text.find_first_not_of(" \t", at);
  if (at == std::string_view::npos || text.substr(at, 2) != "in") return false;
  return at + 2 == text.size() || (text[at + 2] != '_' && (text[at + 2] & 0x80) == 0 &&
                                   std::isalnum(static_cast<unsigned char>(text[at + 2])) == 0);
}

// The innermost bracket. It is alone, and all of it stands on a line that could end with it: then one edit is exact.
void report_unclosed(const Brackets& brackets, Span before, const TokenOutput& output, TokenSpans& places) {
  const Bracket& bracket = brackets.innermost();
  const std::string_view pair = bracket.type == L::LPAREN ? "()" : bracket.type == L::LBRACKET ? "[]" : "{}";
  Diagnostic& d = places.report(messages::message("unclosed_bracket"), bracket.span, {pair.substr(0, 1)});
  d.labels.front().text = "opened here";
  bool at_end = before.begin >= places.text().size();
  if (!at_end) d.labels.push_back({before, "expected `" + std::string(pair.substr(1)) + "` before this"});
  const auto behind = static_cast<uint32_t>(output.previous_end());
  const auto one_line = [&](size_t begin, size_t end) {
    return places.text().substr(begin, end - begin).find('\n') == std::string_view::npos;
  };
  const bool ends_line = at_end || !one_line(behind, before.begin);
  if (brackets.open_groups() == 1 && ends_operand(output.previous()) && ends_line &&
      one_line(bracket.span.begin, behind))
    d.fix = Fix{places.span(behind, behind), std::string(pair.substr(1))};
}

// The last problem stands behind an opening bracket, on its line: an open string, with all that follows it there.
bool complained_on_line(uint32_t opener, const TokenSpans& places) {
  if (places.problems().empty()) return false;
  const uint32_t at = places.problems().back().labels.front().span.begin;
  return at > opener && places.text().substr(opener, at - opener).find('\n') == std::string_view::npos;
}

}  // namespace

void LexerBase::start(uint32_t file, std::string_view text, bool interactive, const TextLimits& limits, Meter& meter,
                      BracketRepairs repairs) {
  meter_ = &meter;
  repairs_ = std::move(repairs);
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
  if (type == L::UNEXPECTED) return report_unexpected(*token, !brackets_.in_block(), places_);
  if (type == L::EOF && mode != L::DEFAULT_MODE) {
    places_.report(messages::message("unclosed_string"), fstrings_.back());
    if (mode == L::FORMAT) leave_interpolation(output_.previous_end());
    leave_fstring(output_.previous_end());
    return arrange(std::move(token));
  }
  if (line_.started() && !repairs_.empty()) close_by_indentation(*token);
  if (line_.started() && brackets_.in_group() && begins_statement(*token, places_.text())) {
    close_unclosed(0, *token);
    line_.expect_newline(output_.previous_end());
  }
  if (is_closer(type) && closes_nothing(*token, brackets_, line_.begin(), repairs_)) {  // it is dropped
    places_.report(messages::message("unmatched_closer"), places_.span(*token), {places_.text(*token)});
    return;
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
      if (settle_in(*token)) return;
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

// Whether the `in` is dropped: `not in` is one operator. Tells the others apart.
bool LexerBase::settle_in(antlr4::Token& token) {
  auto& changed = static_cast<antlr4::CommonToken&>(token);
  if (token.getType() == L::IN) {
    if (std::exchange(in_is_taken_, false)) return true;
    if (!brackets_.clauses().takes_in()) changed.setType(L::IN_OPERATOR);
    return false;
  }
  in_is_taken_ = ends_operand(output_.previous()) && is_word_in(places_.text(), token.getStopIndex() + 1);
  if (in_is_taken_) changed.setType(L::NOT_IN);
  return false;
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

// A newline after a token of this type ends a statement (or a record's field), if the line does not go on.
bool LexerBase::ends_statement(size_t type) const {
  bool nothing_to_end = type == 0 || type == L::NEWLINE || type == L::SEMICOLON || type == L::LBRACE;
  return brackets_.in_block() && !nothing_to_end && !expects_more(type);
}

void LexerBase::note_newline(const antlr4::Token& token) {
  if (output_.ends_in_sign()) check_increment(output_.previous_end(), places_);
  if (const MissingBrace* missing = repairs_.brace_at(token.getStartIndex())) open_missing_block(*missing, token);
  line_.begin(token.getStopIndex() + 1);
  const size_t last = output_.previous();
  if (line_.newline_pending()) return;
  const auto follows = [&] {
    const std::string_view text = places_.text();
    const auto find = [&](size_t at) { return next_token(text, at); };
    return statement_follows(last, text, line_.next_token(token.getStopIndex() + 1, find));
  };
  const bool cut = expects_more(last) && brackets_.in_block() && (output_.is_lone_assign() || follows());
  if (cut || ends_statement(last)) line_.expect_newline(token.getStartIndex());
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
  const bool alone = interactive_ && brackets_.empty();  // at a prompt a whole `if` is done at once
  if (continues_line(next, places_.text()) || (!alone && continues_block(next, output_.previous()))) return;
  bool starts_line = line_.take_start();
  brackets_.clauses().end_line();
  deliver(synthesize(L::NEWLINE, at));
  line_.restore_start(starts_line);
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
  const size_t opener = brackets_.find_opener(token->getType());
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
  report_unclosed(brackets_, places_.span(before), output_, places_);
  while (brackets_.size() > keep && brackets_.in_group()) {
    size_t closer = closer_of(brackets_.close().type);
    deliver(synthesize(closer, output_.previous_end()));
  }
}

// In a second reading: closes the brackets that end before this line.
void LexerBase::close_by_indentation(const antlr4::Token& before) {
  const size_t type = before.getType();
  const bool closer = is_closer(type);
  const size_t indentation = type == L::EOF ? 0 : before.getStartIndex() - line_.begin();
  const auto ends = [&] {
    return !brackets_.empty() && repairs_.ends_before(brackets_.innermost().span.begin, indentation, closer);
  };
  if (!ends()) return;
  const Bracket& open = brackets_.innermost();
  const bool told = complained_on_line(open.span.begin, places_);
  if (brackets_.in_interpolation())
    places_.report(messages::message("unclosed_interpolation"), open.span);
  else if (!told)
    report_unclosed(brackets_, places_.span(before), output_, places_);
  const bool starts_line = line_.take_start();
  while (ends()) close_missing();
  line_.restore_start(starts_line);
  if (brackets_.in_block()) line_.expect_newline(output_.previous_end());
}

// Puts out what the innermost bracket ends with.
void LexerBase::close_missing() {
  const size_t at = output_.previous_end();
  if (brackets_.in_interpolation()) {
    leave_interpolation(at);
    return leave_fstring(at);
  }
  const size_t closer = closer_of(brackets_.innermost().type);
  if (closer == L::RBRACE && (line_.newline_pending() || ends_statement(output_.previous()))) {
    line_.take_newline();
    brackets_.clauses().end_line();
    deliver(synthesize(L::NEWLINE, at));
  }
  brackets_.close();
  deliver(synthesize(closer, at));
}

// In a second reading: the line is the head of a block, whose `{` is missing.
void LexerBase::open_missing_block(const MissingBrace& missing, const antlr4::Token& newline) {
  const Span end = places_.span(missing.end, missing.end);
  const std::vector<Diagnostic>& problems = places_.problems();
  const bool told = !problems.empty() && problems.back().labels.front().span.begin >= missing.head;  // an open string
  if (brackets_.in_group())
    close_unclosed(0, newline);
  else if (!told)
    report_missing_brace(missing.head, end, static_cast<uint32_t>(output_.previous_end()), places_);
  brackets_.open({L::LBRACE, output_.next_number(), end, nullptr, nullptr, {}});
  deliver(synthesize(L::LBRACE, missing.end));
}

void LexerBase::arrange_end(TokenPointer token) {
  if (output_.ends_in_sign()) check_increment(output_.previous_end(), places_);
  if (!brackets_.empty() && !interactive_) report_unclosed(brackets_, places_.span(*token), output_, places_);
  deliver(std::move(token));
}

}  // namespace covec::grammar
