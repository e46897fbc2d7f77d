// Fills a TokenList from ANTLR's tokens and parse tree. Start reading at TokenLister::list.
#pragma once

#include <string_view>
#include <vector>

#include "CovecParser.h"
#include "antlr4-runtime.h"
#include "frontend/parse/tokens/tokens.hpp"

namespace covec::grammar {

class TokenLister {
 public:
  TokenLister(std::string_view text, TokenList& list) : text_(text), list_(list) {}

  // All tokens, without roles.
  void list(antlr4::CommonTokenStream& stream);
  // By the tree of the same stream. Statements with errors are passed over.
  void add_roles(CovecParser::UnitContext& unit);

 private:
  void put(const antlr4::Token& token);
  void put_rest_of_not_in();
  void add_role(const antlr4::Token& token, Role role, const antlr4::Token& owner);
  void visit(antlr4::ParserRuleContext& context);
  void visit_block(antlr4::ParserRuleContext& block);

  std::string_view text_;
  TokenList& list_;
  std::vector<uint32_t> numbers_;  // in the list, of each token of the stream
  std::vector<antlr4::ParserRuleContext*> open_;
  uint32_t fstrings_ = 0;  // open ones
  bool after_terminator_ = true;
};

}  // namespace covec::grammar
