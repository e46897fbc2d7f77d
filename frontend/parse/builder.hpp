// Builds the AST from ANTLR's parse tree and checks what the grammar does not: targets of assignments, parameters of a
// lambda, names of keyword arguments, annotations. The parts: statements (build_statements.hpp), functions,
// annotations, expressions, literals.
#pragma once

#include <string_view>
#include <vector>

#include "CovecParser.h"
#include "frontend/ast/ast.hpp"
#include "frontend/parse/broken_lines.hpp"
#include "frontend/parse/build_annotations.hpp"
#include "frontend/parse/build_expressions.hpp"
#include "frontend/parse/build_functions.hpp"
#include "frontend/parse/build_literals.hpp"
#include "frontend/parse/build_statements.hpp"
#include "frontend/parse/token_spans.hpp"

namespace covec::grammar {

class Builder {
 public:
  Builder(std::string_view text, uint32_t file, ast::Arena& arena, const BrokenLines* broken = nullptr)
      : places_(text, file),
        literals_(places_, arena),
        annotations_(places_, arena, expressions_),
        functions_(places_, arena, annotations_, expressions_, statements_),
        expressions_(places_, arena, literals_, functions_),
        statements_(places_, arena, literals_, expressions_, functions_, broken) {}

  ast::Block unit(const CovecParser::UnitContext& context) { return statements_.lines(context); }
  std::vector<Diagnostic> take_problems() { return places_.take_problems(); }

 private:
  TokenSpans places_;
  LiteralBuilder literals_;
  AnnotationBuilder annotations_;
  FunctionBuilder functions_;
  ExpressionBuilder expressions_;
  StatementBuilder statements_;
};

}  // namespace covec::grammar
