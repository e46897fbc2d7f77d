// See roles.hpp.
#include "frontend/parse/tokens/roles.hpp"

namespace covec::grammar {

namespace {

using P = CovecParser;

bool is_word(size_t type) { return (type >= P::FN && type <= P::CATCH) || type == P::FN_EXPRESSION; }

// An operator of this context has an operand on its left.
bool has_left(const antlr4::ParserRuleContext& context) {
  const auto* expression = dynamic_cast<const P::ExpressionContext*>(&context);
  return expression != nullptr && expression->left != nullptr;
}

Role role_of_opener(const antlr4::ParserRuleContext& context, size_t type) {
  const size_t rule = context.getRuleIndex();
  if (type == P::LAMBDA_PAREN || (rule == P::RuleAnnotation && type == P::LPAREN)) return Role::open_group;
  return rule != P::RuleExpression || has_left(context) ? Role::open_call : Role::open_group;
}

Role role_of_assign(antlr4::ParserRuleContext& context) {
  if (context.getRuleIndex() == P::RuleArgument) return Role::option;
  if (context.getRuleIndex() != P::RuleParameter) return Role::assign;
  return static_cast<P::ParameterContext&>(context).annotation() == nullptr ? Role::option : Role::assign;
}

Role role_of(antlr4::ParserRuleContext& context, size_t type) {
  const size_t rule = context.getRuleIndex();
  switch (type) {
    case P::NAME:
    case P::PARAMETER:
    case P::INTEGER:
    case P::FLOAT:
    case P::STRING:
    case P::TRUE:
    case P::FALSE:
    case P::NONE: return Role::operand;
    case P::ELLIPSIS: return rule == P::RuleRecordField ? Role::prefix : Role::operand;
    case P::FSTRING_START: return Role::text;
    case P::IN_OPERATOR:
    case P::NOT_IN:
    case P::FILTER: return Role::word;
    case P::ARROW: return Role::arrow;
    case P::COMMA:
    case P::TRAILING_COMMA: return Role::comma;
    case P::SEMICOLON: return Role::semicolon;
    case P::DOT: return Role::dot;
    case P::COLON: return rule == P::RuleIndexItem ? Role::slice_colon : Role::field_colon;
    case P::ASSIGN: return role_of_assign(context);
    case P::UPDATE: return Role::assign;
    case P::LPAREN:
    case P::LAMBDA_PAREN:
    case P::LBRACKET: return role_of_opener(context, type);
    case P::LBRACE: return Role::open_record;
    case P::RPAREN:
    case P::RBRACKET:
    case P::RBRACE: return Role::close_bracket;
    case P::POWER: return has_left(context) ? Role::power : Role::prefix;
    default: break;
  }
  if (is_word(type)) return Role::word;
  const bool may_be_prefix =
      type == P::MINUS || type == P::PLUS || type == P::TILDE || type == P::STAR || type == P::AT;
  return may_be_prefix && !has_left(context) ? Role::prefix : Role::binary;
}

// The statement or the function that a block belongs to: a signature is part of it.
const antlr4::ParserRuleContext& owner_of(const antlr4::ParserRuleContext& block) {
  auto* parent = static_cast<antlr4::ParserRuleContext*>(block.parent);
  const bool signature = parent->getRuleIndex() == P::RuleSignature;
  return signature ? *static_cast<antlr4::ParserRuleContext*>(parent->parent) : *parent;
}

antlr4::Token* symbol_of(antlr4::tree::ParseTree* child) {
  auto* terminal = dynamic_cast<antlr4::tree::TerminalNode*>(child);
  return terminal == nullptr ? nullptr : terminal->getSymbol();
}

}  // namespace

void TokenLister::list(antlr4::CommonTokenStream& stream) {
  for (const antlr4::Token* token : stream.getTokens()) {
    const size_t type = token->getType();
    const bool is_empty = type == antlr4::Token::EOF || token->getStopIndex() + 1 <= token->getStartIndex();
    if (type == P::FSTRING_END && fstrings_ > 0) --fstrings_;
    if (fstrings_ == 0 && !is_empty && type != P::FSTRING_END && type != P::NEWLINE) {
      put(*token);
    } else if (!is_empty && !list_.tokens.empty() && type != P::NEWLINE) {
      list_.tokens.back().end = static_cast<uint32_t>(token->getStopIndex() + 1);
    }
    numbers_.push_back(list_.tokens.empty() ? 0 : static_cast<uint32_t>(list_.tokens.size() - 1));
    if (type == P::FSTRING_START) ++fstrings_;
    if (fstrings_ == 0) after_terminator_ = type == P::NEWLINE || type == P::SEMICOLON;
    if (type == P::NOT_IN && fstrings_ == 0) put_rest_of_not_in();
  }
}

void TokenLister::put(const antlr4::Token& token) {
  Token one;
  one.begin = static_cast<uint32_t>(token.getStartIndex());
  one.end = static_cast<uint32_t>(token.getStopIndex() + 1);
  one.owner = static_cast<uint32_t>(list_.tokens.size());
  one.kind = static_cast<uint16_t>(token.getType());
  one.follows_terminator = after_terminator_;
  list_.tokens.push_back(one);
}

// The stream has `not in` as one token, which ends behind `not`.
void TokenLister::put_rest_of_not_in() {
  Token in = list_.tokens.back();
  in.begin = static_cast<uint32_t>(text_.find_first_not_of(" \t", in.end));
  in.end = in.begin + 2;
  in.owner = static_cast<uint32_t>(list_.tokens.size());
  in.follows_terminator = false;
  list_.tokens.push_back(in);
}

void TokenLister::add_roles(P::UnitContext& unit) {
  open_.push_back(&unit);
  while (!open_.empty()) {
    antlr4::ParserRuleContext& context = *open_.back();
    open_.pop_back();
    visit(context);
  }
}

// Long chains of operators are deep trees: a loop goes through them.
void TokenLister::visit(antlr4::ParserRuleContext& context) {
  if (context.exception != nullptr && context.getRuleIndex() == P::RuleLine) return;
  const bool is_block = context.getRuleIndex() == P::RuleBlock;
  // What else stands alone between statements was skipped.
  const bool skips = is_block || context.getRuleIndex() == P::RuleUnit;
  if (is_block) visit_block(context);
  for (antlr4::tree::ParseTree* child : context.children) {
    const antlr4::Token* token = symbol_of(child);
    if (token == nullptr) {
      open_.push_back(static_cast<antlr4::ParserRuleContext*>(child));
    } else if (!skips) {
      const size_t type = token->getType();
      const bool goes_on = (type == P::ELSE || type == P::CATCH) && context.getRuleIndex() == P::RuleStatement;
      add_role(*token, role_of(context, type), goes_on ? *context.start : *token);
    }
  }
}

void TokenLister::visit_block(antlr4::ParserRuleContext& block) {
  const antlr4::Token& owner = *owner_of(block).start;
  const antlr4::Token* begin = symbol_of(block.children.front());
  const antlr4::Token* end = symbol_of(block.children.back());
  if (begin != nullptr) add_role(*begin, Role::open_block, owner);
  if (end != nullptr && end->getType() == P::RBRACE) add_role(*end, Role::close_block, owner);
}

void TokenLister::add_role(const antlr4::Token& token, Role role, const antlr4::Token& owner) {
  if (token.getType() == antlr4::Token::EOF) return;
  const uint32_t number = numbers_[token.getTokenIndex()];
  Token& one = list_.tokens[number];
  if (one.begin != token.getStartIndex()) return;  // a part of an f-string, a line end
  one.role = role;
  one.owner = numbers_[owner.getTokenIndex()];
  if (token.getType() != P::NOT_IN) return;
  list_.tokens[number + 1].role = role;
}

}  // namespace covec::grammar
