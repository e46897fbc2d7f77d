// Recovers at statements: see errors.hpp.
#include "frontend/parse/errors.hpp"

#include <algorithm>

#include "frontend/parse/text.hpp"

namespace covec::grammar {

namespace {

using P = CovecParser;

bool ends_statement(size_t type) { return type == P::NEWLINE || type == P::SEMICOLON; }

void consume_terminators(antlr4::Parser& parser) {
  while (ends_statement(parser.getTokenStream()->LA(1))) parser.consume();
}

}  // namespace

antlr4::Token* StatementErrorStrategy::recoverInline(antlr4::Parser* parser) {
  throw antlr4::InputMismatchException(parser);
}

// Between statements there is no rule to fail: what cannot start one is reported and skipped here.
void StatementErrorStrategy::sync(antlr4::Parser* parser) {
  auto* context = static_cast<antlr4::ParserRuleContext*>(parser->getContext());
  size_t rule = context->getRuleIndex();
  if (rule != P::RuleUnit && rule != P::RuleBlock) return;
  while (parser->getTokenStream()->LA(1) != antlr4::Token::EOF &&
         !parser->isExpectedToken(parser->getTokenStream()->LA(1))) {
    antlr4::Token* found = parser->getCurrentToken();
    note(*parser, *context, *found, parser->getExpectedTokens());
    skip_line(*parser, *context);
  }
}

// Called in each rule on the way up; only in the innermost one is the place of the error known.
void StatementErrorStrategy::reportError(antlr4::Parser* parser, const antlr4::RecognitionException& e) {
  if (has_pending_) return;
  auto* context = static_cast<antlr4::ParserRuleContext*>(parser->getContext());
  note(*parser, *context, *e.getOffendingToken(), e.getExpectedTokens());
}

void StatementErrorStrategy::note(antlr4::Parser& parser, antlr4::ParserRuleContext& context, antlr4::Token& found,
                                  const antlr4::misc::IntervalSet& expected) {
  ErrorSite site{*parser.getTokenStream(), lexer_.notes(), text_, file_, &context, &found};
  pending_ = explain(site, expected);
  pending_at_end_ = found.getType() == antlr4::Token::EOF;
  has_pending_ = true;
}

void StatementErrorStrategy::recover(antlr4::Parser* parser, std::exception_ptr e) {
  auto* context = static_cast<antlr4::ParserRuleContext*>(parser->getContext());
  size_t rule = context->getRuleIndex();
  if (rule != P::RuleLine && rule != P::RuleUnit) std::rethrow_exception(e);
  if (rule == P::RuleUnit) return skip_line(*parser, *context);
  skip_statement(*parser, *context->getStart());
}

// Skips what begins no statement: a line with an exception in the tree, as one that begins one.
void StatementErrorStrategy::skip_line(antlr4::Parser& parser, antlr4::ParserRuleContext& around) {
  auto* line = static_cast<ParserBase&>(parser).make_context<P::LineContext>(around);
  line->start = parser.getCurrentToken();
  line->exception = std::make_exception_ptr(antlr4::RuntimeException());
  skip_statement(parser, *line->start);
  line->stop = parser.getTokenStream()->LT(-1);
  around.addChild(line);
}

// Goes on after the statement that starts at `start`, and keeps what was noted of it, unless the lexer has
// complained of the same statement.
void StatementErrorStrategy::skip_statement(antlr4::Parser& parser, const antlr4::Token& start) {
  if (problems_.size() >= most_) return skip_text(parser);
  const std::string_view code = has_pending_ ? pending_.code : "";
  const size_t goes_on = code == "brace_on_new_line" ? P::LBRACE : code == "catch_on_new_line" ? P::CATCH : 0;
  skip_tokens(parser, lexer_.notes()[start.getTokenIndex()].depth);
  const auto begin = static_cast<uint32_t>(start.getStartIndex());
  const auto end = static_cast<uint32_t>(parser.getCurrentToken()->getStartIndex());
  if (has_pending_ && !lexer_complained(begin, end)) {
    if (problems_.empty()) first_is_at_end_ = pending_at_end_;
    problems_.push_back(std::move(pending_));
  }
  has_pending_ = false;
  consume_terminators(parser);
  if (goes_on == 0 || parser.getCurrentToken()->getType() != goes_on) return;
  skip_tokens(parser, lexer_.notes()[parser.getCurrentToken()->getTokenIndex()].depth);
  consume_terminators(parser);
}

void StatementErrorStrategy::skip_tokens(antlr4::Parser& parser, uint32_t depth) {
  for (;;) {
    antlr4::Token* token = parser.getCurrentToken();
    size_t type = token->getType();
    uint32_t here = lexer_.notes()[token->getTokenIndex()].depth;
    if (type == antlr4::Token::EOF || (ends_statement(type) && here <= depth)) return;
    if (type == P::RBRACE && here < depth) return;
    parser.consume();
  }
}

void StatementErrorStrategy::skip_text(antlr4::Parser& parser) {
  has_pending_ = false;
  while (parser.getCurrentToken()->getType() != antlr4::Token::EOF) parser.consume();
}

bool StatementErrorStrategy::lexer_complained(uint32_t begin, uint32_t end) const {
  return std::ranges::any_of(lexer_.problems(), [&](const Diagnostic& d) {
    const uint32_t at = d.labels.front().span.begin;
    return at >= begin && at <= end;
  });
}

}  // namespace covec::grammar
