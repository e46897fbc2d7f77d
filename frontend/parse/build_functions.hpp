// Builds functions: definitions with their decorators and documentation, function expressions, parameters.
#pragma once

#include <string_view>

#include "CovecParser.h"
#include "frontend/ast/ast.hpp"
#include "frontend/parse/build_annotations.hpp"
#include "frontend/parse/token_spans.hpp"

namespace covec::grammar {

class ExpressionBuilder;
class StatementBuilder;

class FunctionBuilder {
 public:
  FunctionBuilder(TokenSpans& places, ast::Arena& arena, AnnotationBuilder& annotations, ExpressionBuilder& expressions,
                  StatementBuilder& statements)
      : places_(places), arena_(arena), annotations_(annotations), expressions_(expressions), statements_(statements) {}

  ast::Stmt* definition(CovecParser::StatementContext& context);
  ast::Expr* lambda(CovecParser::ExpressionContext& context);
  ast::Expr* expression(CovecParser::ExpressionContext& context);

 private:
  using P = CovecParser;

  void signature(P::SignatureContext& context, ast::Function& function);
  ast::List<ast::Parameter> parameters(P::SignatureContext& context);
  ast::Decorator decorator(P::DecoratorContext& context);
  std::string_view doc_above(size_t offset);
  ast::ParameterKind kind_of(const antlr4::Token* star);
  void check_starred(const ast::Parameter& parameter);
  void check_parameters(const ast::List<ast::Parameter>& parameters);

  TokenSpans& places_;
  ast::Arena& arena_;
  AnnotationBuilder& annotations_;
  ExpressionBuilder& expressions_;
  StatementBuilder& statements_;
};

}  // namespace covec::grammar
