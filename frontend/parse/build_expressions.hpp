// Builds expressions. A loop builds chains that are deep on the left (a + b + c …, x.f.g …). Start reading at
// expression.
#pragma once

#include <string_view>
#include <vector>

#include "CovecParser.h"
#include "frontend/ast/ast.hpp"
#include "frontend/parse/build_literals.hpp"
#include "frontend/parse/token_spans.hpp"

namespace covec::grammar {

class FunctionBuilder;

class ExpressionBuilder {
 public:
  ExpressionBuilder(TokenSpans& places, ast::Arena& arena, LiteralBuilder& literals, FunctionBuilder& functions)
      : places_(places), arena_(arena), literals_(literals), functions_(functions) {}

  ast::Expr* expression(CovecParser::ExpressionContext& context);
  // An expression or a spread of one, where several may stand.
  ast::Expr* item(CovecParser::ExpressionContext& context);
  std::vector<ast::Expr*> expressions_in(antlr4::ParserRuleContext& context);
  std::vector<ast::Expr*> items_in(antlr4::ParserRuleContext& context);
  // The only one of its kind: a spread is reported.
  ast::Expr* alone(ast::Expr* item);
  // `callee` as the messages name it.
  ast::List<ast::Argument> arguments(CovecParser::ArgumentsContext* context, std::string_view callee);

 private:
  using P = CovecParser;

  ast::Expr* chain(P::ExpressionContext& context);
  ast::Expr* primary(P::ExpressionContext& context);
  ast::Expr* spread(P::ExpressionContext& context);
  void check_chain(const P::ExpressionContext& outer);
  ast::Expr* extend(P::ExpressionContext& context, ast::Expr* left);
  size_t extend_comparisons(ast::Expr*& left, size_t base, size_t top);
  ast::Expr* binary(P::ExpressionContext& context, ast::Expr* left);
  ast::Expr* unary(P::ExpressionContext& context);
  ast::Expr* parenthesized(P::ExpressionContext& context);
  ast::Expr* bracketed(P::ExpressionContext& context);
  ast::Expr* braces(P::ExpressionContext& context);
  ast::Expr* record(P::ExpressionContext& context);
  ast::Expr* map(P::ExpressionContext& context);
  ast::Expr* key(P::ExpressionContext& context);
  ast::Expr* format(P::ExpressionContext& context);
  ast::FormatPiece interpolation(P::InterpolationContext& context);
  ast::Expr* call(P::ExpressionContext& context, ast::Expr* callee);
  ast::Argument argument(P::ArgumentContext& context, bool followed_by_clauses);
  ast::Expr* argument_value(P::ExpressionContext& context);
  void check_arguments(const std::vector<ast::Argument>& arguments);
  ast::Expr* comprehension(P::ExpressionContext& body, P::GeneratorContext& generator, Span span, bool argument);
  ast::Clause clause(P::ClauseContext& context);
  bool check_clause_target(const ast::Expr* target);
  ast::Expr* index(P::ExpressionContext& context, ast::Expr* object);
  ast::IndexItem index_item(P::IndexItemContext& context);

  TokenSpans& places_;
  ast::Arena& arena_;
  LiteralBuilder& literals_;
  FunctionBuilder& functions_;
  std::vector<P::ExpressionContext*> spine_;  // chains being built, innermost last
};

}  // namespace covec::grammar
