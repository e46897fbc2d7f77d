// Builds the AST from ANTLR's parse tree and checks what the grammar leaves open: what may be assigned to, be a
// parameter of a lambda, a keyword's name, an annotation. Chains that are deep on the left (a + b + c …, x.f.g …) are
// built by a loop. The parts: statements (build_statements.cpp), functions, expressions, literals.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "CovecParser.h"
#include "frontend/ast/ast.hpp"
#include "frontend/source/diagnostic.hpp"
#include "frontend/source/messages.hpp"

namespace covec::grammar {

class Builder {
 public:
  Builder(std::string_view text, uint32_t file, ast::Arena& arena) : text_(text), file_(file), arena_(arena) {}

  ast::Block unit(CovecParser::UnitContext& context);
  std::vector<Diagnostic> take_problems() { return std::move(problems_); }

 private:
  using P = CovecParser;

  // --- build_statements.cpp ---
  ast::Block block(P::BlockContext& context);
  ast::Stmt* statement(P::StatementContext& context);
  ast::Stmt* assignment(P::StatementContext& context);
  ast::Stmt* plain_expression(P::ExpressionsContext& context);
  ast::Stmt* update(P::StatementContext& context);
  ast::Stmt* if_statement(P::StatementContext& context);
  ast::Stmt* while_statement(P::StatementContext& context);
  ast::Stmt* for_statement(P::StatementContext& context);
  ast::Stmt* return_statement(P::StatementContext& context);
  ast::Stmt* assert_statement(P::StatementContext& context);
  ast::Stmt* import_statement(P::StatementContext& context);
  ast::Stmt* function_statement(P::StatementContext& context);
  ast::Expr* tuple_of(P::ExpressionsContext& context);
  bool check_target(const ast::Expr* target);

  // --- build_functions.cpp ---
  void signature(P::SignatureContext& context, ast::Function& function);
  ast::List<ast::Parameter> parameters(P::SignatureContext& context);
  ast::Decorator decorator(P::DecoratorContext& context);
  ast::Annotation* annotation(P::AnnotationContext& context);
  void record_annotation(P::AnnotationContext& context, ast::Annotation& out);
  ast::List<ast::Dimension> dimensions(P::AnnotationContext& context);
  bool is_dimension(const ast::Expr* expr) const;
  std::string_view doc_above(size_t offset);
  ast::Expr* lambda(P::ExpressionContext& context);
  ast::Expr* function_expression(P::ExpressionContext& context);
  void check_parameters(const ast::List<ast::Parameter>& parameters);

  // --- build_expressions.cpp ---
  ast::Expr* expression(P::ExpressionContext& context);
  ast::Expr* primary(P::ExpressionContext& context);
  ast::Expr* extend(P::ExpressionContext& context, ast::Expr* left);
  size_t extend_comparisons(ast::Expr*& left, size_t base, size_t top);
  ast::Expr* binary(P::ExpressionContext& context, ast::Expr* left);
  ast::Expr* unary(P::ExpressionContext& context);
  ast::Expr* parenthesized(P::ExpressionContext& context);
  ast::Expr* bracketed(P::ExpressionContext& context);
  ast::Expr* record(P::ExpressionContext& context);
  ast::Expr* call(P::ExpressionContext& context, ast::Expr* callee);
  ast::List<ast::Argument> arguments(P::ArgumentsContext* context, std::string_view callee);
  ast::Argument argument(P::ArgumentContext& context, bool followed_by_clauses);
  void check_arguments(const std::vector<ast::Argument>& arguments);
  void check_commas(const antlr4::ParserRuleContext& context);
  ast::Expr* comprehension(P::ExpressionContext& body, P::GeneratorContext& generator, Span span, bool argument);
  ast::Clause clause(P::ClauseContext& context);
  bool check_clause_target(const ast::Expr* target);
  ast::Expr* index(P::ExpressionContext& context, ast::Expr* object);
  ast::IndexItem index_item(P::IndexItemContext& context);
  std::vector<ast::Expr*> expressions_in(antlr4::ParserRuleContext& context);

  // --- build_literals.cpp ---
  ast::Expr* number(const antlr4::Token& token);
  void integer(ast::Number& out, std::string digits, Span span);
  void real(ast::Number& out, const std::string& digits, Span span);
  std::string_view string_value(const antlr4::Token& token);
  std::string_view decode(std::string_view raw, uint32_t at, bool braces);
  size_t escape(std::string_view raw, size_t i, uint32_t at, std::string& out);
  size_t code_point(std::string_view raw, size_t i, size_t digits, std::string& out);
  ast::Expr* format(P::ExpressionContext& context);
  ast::FormatPiece interpolation(P::InterpolationContext& context);

  // --- everywhere ---
  Span span(const antlr4::Token& token) const;
  Span span(const antlr4::ParserRuleContext& context) const;
  std::string_view text(Span span) const { return text_.substr(span.begin, span.end - span.begin); }
  std::string_view text(const antlr4::Token& token) const { return text(span(token)); }
  Diagnostic& report(const messages::Message& message, Span span, std::initializer_list<std::string_view> values = {}) {
    problems_.push_back(messages::make(message, span, values));
    return problems_.back();
  }

  std::string_view text_;
  uint32_t file_;
  ast::Arena& arena_;
  std::vector<Diagnostic> problems_;
  std::vector<P::ExpressionContext*> spine_;  // chains being built, innermost last
};

// The children of a context that are of type Context, in order.
template <class Context, class Visit>
void each(const antlr4::ParserRuleContext& parent, Visit visit) {
  for (antlr4::tree::ParseTree* child : parent.children) {
    if (auto* context = dynamic_cast<Context*>(child)) visit(*context);
  }
}

template <class Context>
Context* first(const antlr4::ParserRuleContext& parent) {
  for (antlr4::tree::ParseTree* child : parent.children) {
    if (auto* context = dynamic_cast<Context*>(child)) return context;
  }
  return nullptr;
}

}  // namespace covec::grammar
