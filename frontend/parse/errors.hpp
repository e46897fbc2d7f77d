// Handles syntax errors: recovers at statements, and explains the error in the user's terms.
#pragma once

#include <string_view>
#include <vector>

#include "CovecParser.h"
#include "antlr4-runtime.h"
#include "frontend/source/diagnostic.hpp"

namespace covec::grammar {

// The tokens around an error, and the innermost rule being read.
struct ErrorSite {
  antlr4::TokenStream& tokens;
  const std::vector<TokenNote>& notes;
  std::string_view text;
  uint32_t file = 0;
  antlr4::ParserRuleContext* context = nullptr;
  antlr4::Token* found = nullptr;
};

Diagnostic explain(const ErrorSite& site, const antlr4::misc::IntervalSet& expected);

// Errors go up to the statement that contains them; there one is reported and the statement is skipped. Tokens are
// never put in or taken out. The tree of a text with errors has lines with an exception: they are broken.
class StatementErrorStrategy : public antlr4::DefaultErrorStrategy {
 public:
  StatementErrorStrategy(const LexerBase& lexer, std::string_view text, uint32_t file, size_t most)
      : lexer_(lexer), text_(text), file_(file), most_(most) {}

  void recover(antlr4::Parser* parser, std::exception_ptr e) override;
  antlr4::Token* recoverInline(antlr4::Parser* parser) override;
  void sync(antlr4::Parser* parser) override;
  void reportError(antlr4::Parser* parser, const antlr4::RecognitionException& e) override;
  void reportMatch(antlr4::Parser*) override {}
  bool inErrorRecoveryMode(antlr4::Parser*) override { return false; }

  const std::vector<Diagnostic>& problems() const { return problems_; }
  bool first_is_at_end() const { return first_is_at_end_; }

 private:
  void note(antlr4::Parser& parser, antlr4::ParserRuleContext& context, antlr4::Token& found,
            const antlr4::misc::IntervalSet& expected);
  void skip_statement(antlr4::Parser& parser, const antlr4::Token& start);
  void skip_text(antlr4::Parser& parser);
  void skip_line(antlr4::Parser& parser, antlr4::ParserRuleContext& around);
  void skip_tokens(antlr4::Parser& parser, uint32_t depth);
  bool lexer_complained(uint32_t begin, uint32_t end) const;

  const LexerBase& lexer_;
  std::string_view text_;
  uint32_t file_;
  const size_t most_;  // problems
  std::vector<Diagnostic> problems_;
  Diagnostic pending_;
  bool has_pending_ = false;
  bool pending_at_end_ = false;
  bool first_is_at_end_ = false;
};

}  // namespace covec::grammar
