// See build_functions.hpp.
#include "frontend/parse/build_functions.hpp"

#include <string>
#include <unordered_set>
#include <vector>

#include "frontend/common/trimmed.hpp"
#include "frontend/parse/build_expressions.hpp"
#include "frontend/parse/build_statements.hpp"
#include "frontend/parse/children.hpp"

namespace covec::grammar {

using messages::message;

namespace {

constexpr std::string_view blanks = " \t";  // of a line

}  // namespace

ast::Stmt* FunctionBuilder::definition(P::StatementContext& context) {
  auto* stmt = arena_.make<ast::FunctionStmt>(places_.span(context));
  auto* function = arena_.make<ast::Function>();
  stmt->function = function;
  function->span = stmt->span;
  const antlr4::Token& name = *context.name;
  function->name = places_.text(name);
  function->name_span = places_.span(name);
  function->doc = doc_above(stmt->span.begin);
  std::vector<ast::Decorator> decorators;
  each<P::DecoratorContext>(context, [&](P::DecoratorContext& d) { decorators.push_back(decorator(d)); });
  function->decorators = arena_.list(decorators);
  signature(*first<P::SignatureContext>(context), *function);
  return stmt;
}

ast::Decorator FunctionBuilder::decorator(P::DecoratorContext& context) {
  ast::Decorator out;
  out.span = places_.span(context);
  out.name_span = places_.span(*context.NAME()->getSymbol());
  out.name = places_.text(out.name_span);
  out.arguments = expressions_.arguments(first<P::ArgumentsContext>(context), out.name);
  return out;
}

// The comment block whose last line is right above, without its '#'. Lines end with "\n", "\r\n" or "\r".
std::string_view FunctionBuilder::doc_above(size_t offset) {
  const std::string_view text = places_.text();
  auto line_begin = [&](size_t at) { return at == 0 ? 0 : text.find_last_of("\r\n", at - 1) + 1; };
  size_t begin = line_begin(offset);
  if (!trimmed(text.substr(begin, offset - begin), blanks).empty()) return {};
  std::vector<std::string_view> lines;
  while (begin > 0) {
    const size_t end = text.substr(0, begin).ends_with("\r\n") ? begin - 2 : begin - 1;
    const size_t above = line_begin(end);
    std::string_view line = trimmed(text.substr(above, end - above), blanks);
    if (line.empty() || line[0] != '#') break;
    line.remove_prefix(line.size() > 1 && line[1] == ' ' ? 2 : 1);
    lines.push_back(line);
    begin = above;
  }
  std::string doc;
  for (size_t i = lines.size(); i-- > 0;) doc += std::string(lines[i]) + (i > 0 ? "\n" : "");
  return arena_.text(doc);
}

void FunctionBuilder::signature(P::SignatureContext& context, ast::Function& function) {
  function.parameters = parameters(context);
  if (context.result != nullptr) function.result = annotations_.annotation(*context.result);
  if (context.op != nullptr) {
    function.expression = expressions_.expression(*first<P::ExpressionContext>(context));
  } else {
    function.body = statements_.lines(*first<P::BlockContext>(context));
  }
}

ast::List<ast::Parameter> FunctionBuilder::parameters(P::SignatureContext& context) {
  std::vector<ast::Parameter> out;
  each<P::ParameterContext>(context, [&](P::ParameterContext& p) {
    ast::Parameter parameter;
    parameter.span = places_.span(*p.NAME()->getSymbol());
    parameter.kind = kind_of(p.star);
    parameter.name = places_.text(parameter.span);
    if (auto* type = first<P::AnnotationContext>(p)) parameter.annotation = annotations_.annotation(*type);
    if (auto* value = first<P::ExpressionContext>(p)) parameter.fallback = expressions_.expression(*value);
    out.push_back(parameter);
  });
  ast::List<ast::Parameter> list = arena_.list(out);
  check_parameters(list);
  return list;
}

void FunctionBuilder::check_parameters(const ast::List<ast::Parameter>& parameters) {
  std::unordered_set<std::string_view> seen;
  bool defaults = false, rest = false;
  for (const ast::Parameter& p : parameters) {
    if (!seen.insert(p.name).second) places_.report(message("duplicate_parameter"), p.span, {p.name});
    if (p.kind != ast::ParameterKind::plain) check_starred(p);
    if (p.kind == ast::ParameterKind::options) {
      if (&p + 1 != parameters.end()) places_.report(message("options_last"), p.span, {p.name});
      continue;
    }
    if (p.kind == ast::ParameterKind::rest) {
      if (rest) places_.report(message("two_rests"), p.span);
      rest = true;
      continue;
    }
    if (defaults && !rest && p.fallback == nullptr) places_.report(message("default_order"), p.span, {p.name});
    defaults = defaults || p.fallback != nullptr;
  }
}

void FunctionBuilder::check_starred(const ast::Parameter& parameter) {
  if (parameter.annotation == nullptr && parameter.fallback == nullptr) return;
  const char* const takes = parameter.kind == ast::ParameterKind::rest ? "remaining" : "remaining named";
  places_.report(message("rest_parameter"), parameter.span, {stars_of(parameter.kind), parameter.name, takes});
}

ast::ParameterKind FunctionBuilder::kind_of(const antlr4::Token* star) {
  if (star == nullptr) return ast::ParameterKind::plain;
  if (star->getType() == P::STAR) return ast::ParameterKind::rest;
  if (places_.text(*star) == "^") places_.report(message("options_sign"), places_.span(*star));
  return ast::ParameterKind::options;
}

// --- function expressions ---

// x -> e, (x, y) -> e, () -> e, x -> { … }.
ast::Expr* FunctionBuilder::lambda(P::ExpressionContext& context) {
  auto* out = arena_.make<ast::FunctionExpr>(places_.span(context));
  auto* function = arena_.make<ast::Function>();
  out->function = function;
  function->span = out->span;
  function->name_span = places_.span(*context.op);
  std::vector<ast::Parameter> parameters;
  if (context.op->getType() == P::PARAMETER)
    parameters.push_back({places_.text(*context.op), places_.span(*context.op), nullptr, nullptr, {}});
  each<P::LambdaParameterContext>(context, [&](P::LambdaParameterContext& p) {
    const antlr4::Token& name = *p.NAME()->getSymbol();
    parameters.push_back({places_.text(name), places_.span(name), nullptr, nullptr, kind_of(p.star)});
  });
  function->parameters = arena_.list(parameters);
  check_parameters(function->parameters);
  if (context.right != nullptr)
    function->expression = expressions_.expression(*context.right);
  else
    function->body = statements_.lines(*first<P::BlockContext>(context));
  return out;
}

ast::Expr* FunctionBuilder::expression(P::ExpressionContext& context) {
  auto* out = arena_.make<ast::FunctionExpr>(places_.span(context));
  auto* function = arena_.make<ast::Function>();
  out->function = function;
  function->span = out->span;
  function->name_span = places_.span(*context.op);
  signature(*first<P::SignatureContext>(context), *function);
  if (function->expression != nullptr) places_.report(message("function_expression_form"), out->span);
  return out;
}

}  // namespace covec::grammar
