// See token_output.hpp.
#include "frontend/parse/token_output.hpp"

#include "CovecLexer.h"

namespace covec::grammar {

using L = CovecLexer;

void TokenOutput::put(TokenPointer token, const TokenNote& note) {
  notes_.push_back(note);
  explain_previous(token->getType());
  after_lambda_arrow_ = token->getType() == L::ARROW && (previous_ == L::NAME || last_group_ != nullptr);
  last_ = static_cast<antlr4::CommonToken*>(token.get());
  last_group_ = nullptr;
  before_previous_ = std::exchange(previous_, token->getType());
  if (token->getStopIndex() + 1 > previous_end_ && previous_ != L::EOF) previous_end_ = token->getStopIndex() + 1;
  ready_.push_back(std::move(token));
}

bool TokenOutput::ends_in_sign() const { return previous_ == L::PLUS || previous_ == L::MINUS; }

bool TokenOutput::is_lone_assign() const {
  const size_t before = before_previous_;
  return previous_ == L::ASSIGN &&
         (before == 0 || before == L::NEWLINE || before == L::SEMICOLON || before == L::LBRACE);
}

void TokenOutput::explain_previous(size_t type) {
  switch (type) {
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

}  // namespace covec::grammar
