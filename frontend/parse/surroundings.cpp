// See surroundings.hpp.
#include "frontend/parse/surroundings.hpp"

namespace covec::grammar {

namespace {
using P = CovecParser;
}

bool is_keyword_token(size_t type) {
  return (type >= P::FN && type <= P::NONE) || type == P::FN_EXPRESSION || type == P::IN_OPERATOR || type == P::NOT_IN;
}

bool ends_operand(size_t type) {
  switch (type) {
    case P::NAME:
    case P::INTEGER:
    case P::FLOAT:
    case P::STRING:
    case P::FSTRING_END:
    case P::RPAREN:
    case P::RBRACKET:
    case P::RBRACE:
    case P::TRUE:
    case P::FALSE:
    case P::NONE: return true;
    default: return false;
  }
}

std::string_view Surroundings::text_before(size_t steps) const {
  return before(steps) == nullptr ? std::string_view() : text(*before(steps));
}

antlr4::ParserRuleContext* Surroundings::enclosing(size_t rule) const {
  for (auto* c = site_.context; c != nullptr; c = static_cast<antlr4::ParserRuleContext*>(c->parent)) {
    if (c->getRuleIndex() == rule) return c;
  }
  return nullptr;
}

bool Surroundings::in_signature() const {
  for (auto* c = site_.context; c != nullptr; c = static_cast<antlr4::ParserRuleContext*>(c->parent)) {
    if (c->getRuleIndex() == P::RuleBlock) return false;
    if (c->getRuleIndex() == P::RuleSignature) return true;
  }
  return false;
}

bool Surroundings::between_statements() const {
  return in_rule(P::RuleUnit) || (in_rule(P::RuleBlock) && !expects(P::LBRACE));
}

antlr4::Token* Surroundings::statement_word() const {
  auto* c = static_cast<P::StatementContext*>(enclosing(P::RuleStatement));
  return c == nullptr ? nullptr : c->op;
}

bool Surroundings::field_expected() const {
  auto* e = dynamic_cast<P::ExpressionContext*>(site_.context);
  auto* a = dynamic_cast<P::AnnotationContext*>(site_.context);
  const antlr4::Token* op = e != nullptr ? e->op : a != nullptr ? a->op : nullptr;
  size_t last = type_before();
  return op != nullptr && op->getType() == P::LBRACE && (last == P::LBRACE || last == P::COMMA || last == P::NEWLINE);
}

std::string Surroundings::describe(const antlr4::Token& token) const {
  constexpr size_t kLongest = 24;  // bytes of a token that a message quotes
  size_t type = token.getType();
  if (type == antlr4::Token::EOF) return "the end of the text";
  if (type == P::NEWLINE) return "the end of the line";
  std::string quoted(text(token).substr(0, kLongest));
  if (text(token).size() > kLongest)
    quoted = "the text";
  else
    quoted = "`" + quoted + "`";
  return is_keyword_token(type) ? "the keyword " + quoted : quoted;
}

}  // namespace covec::grammar
