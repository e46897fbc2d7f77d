// Builds numbers and the texts of strings: decodes their written form.
#pragma once

#include <string>
#include <string_view>

#include "frontend/ast/ast.hpp"
#include "frontend/parse/token_spans.hpp"

namespace covec::grammar {

class LiteralBuilder {
 public:
  LiteralBuilder(TokenSpans& places, ast::Arena& arena) : places_(places), arena_(arena) {}

  ast::Expr* number(const antlr4::Token& token);
  std::string_view string_value(const antlr4::Token& token);
  // A stretch of an f-string between interpolations.
  std::string_view format_text(const antlr4::Token& token);

 private:
  void integer(ast::Number& out, std::string digits, Span span);
  void real(ast::Number& out, const std::string& digits, Span span);
  std::string_view decode(std::string_view raw, uint32_t at, bool braces);
  size_t escape(std::string_view raw, size_t i, uint32_t at, std::string& out);

  TokenSpans& places_;
  ast::Arena& arena_;
};

}  // namespace covec::grammar
