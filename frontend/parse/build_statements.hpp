// Builds statements and blocks, and checks targets of assignments. Start reading at statement.
#pragma once

#include "CovecParser.h"
#include "frontend/ast/ast.hpp"
#include "frontend/parse/broken_lines.hpp"
#include "frontend/parse/build_expressions.hpp"
#include "frontend/parse/build_functions.hpp"
#include "frontend/parse/build_literals.hpp"
#include "frontend/parse/token_spans.hpp"

namespace covec::grammar {

class StatementBuilder {
 public:
  StatementBuilder(TokenSpans& places, ast::Arena& arena, LiteralBuilder& literals, ExpressionBuilder& expressions,
                   FunctionBuilder& functions, const BrokenLines* broken)
      : places_(places),
        arena_(arena),
        literals_(literals),
        expressions_(expressions),
        functions_(functions),
        broken_(broken) {}

  // The lines of a block, or of the whole text.
  ast::Block lines(const antlr4::ParserRuleContext& context);

 private:
  using P = CovecParser;

  ast::Stmt* line(const P::LineContext& line);
  ast::Stmt* broken(const P::LineContext& line);
  ast::Stmt* statement(P::StatementContext& context);
  ast::Stmt* assignment(P::StatementContext& context);
  ast::Stmt* plain_expression(P::ExpressionsContext& context);
  ast::Stmt* update(P::StatementContext& context);
  ast::Stmt* if_statement(P::StatementContext& context);
  ast::Stmt* while_statement(P::StatementContext& context);
  ast::Stmt* for_statement(P::StatementContext& context);
  ast::Stmt* return_statement(P::StatementContext& context);
  ast::Stmt* assert_statement(P::StatementContext& context);
  ast::Stmt* try_statement(P::StatementContext& context);
  ast::Stmt* import_statement(P::StatementContext& context);
  ast::Expr* tuple_of(P::ExpressionsContext& context);
  bool check_target(const ast::Expr* target);
  void check_condition(const ast::Assert& stmt);

  TokenSpans& places_;
  ast::Arena& arena_;
  LiteralBuilder& literals_;
  ExpressionBuilder& expressions_;
  FunctionBuilder& functions_;
  const BrokenLines* broken_;  // nullptr: a text without errors
  size_t handled_ = 0;         // problems of lines that are broken
};

}  // namespace covec::grammar
