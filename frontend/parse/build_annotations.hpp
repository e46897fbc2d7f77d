// Builds annotations of parameters and results: types, dimensions, records.
#pragma once

#include "CovecParser.h"
#include "frontend/ast/ast.hpp"
#include "frontend/parse/token_spans.hpp"

namespace covec::grammar {

class ExpressionBuilder;

class AnnotationBuilder {
 public:
  AnnotationBuilder(TokenSpans& places, ast::Arena& arena, ExpressionBuilder& expressions)
      : places_(places), arena_(arena), expressions_(expressions) {}

  ast::Annotation* annotation(CovecParser::AnnotationContext& context);

 private:
  using P = CovecParser;

  void record(P::AnnotationContext& context, ast::Annotation& out);
  void tuple(P::AnnotationContext& context, ast::Annotation& out);
  ast::List<ast::Dimension> dimensions(P::AnnotationContext& context);

  TokenSpans& places_;
  ast::Arena& arena_;
  ExpressionBuilder& expressions_;
};

}  // namespace covec::grammar
