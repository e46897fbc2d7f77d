// Functions, their parameters and annotations: see builder.hpp.
#include <algorithm>
#include <unordered_set>

#include "frontend/parse/builder.hpp"

namespace covec::grammar {

using messages::message;

namespace {

constexpr std::string_view kTypes[] = {"bool", "i32", "i64", "f32", "f64", "float", "int", "any"};

bool is_type(std::string_view name) {
  return std::find(std::begin(kTypes), std::end(kTypes), name) != std::end(kTypes);
}

std::string_view trimmed(std::string_view line) {
  size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  size_t end = line.find_last_not_of(" \t\r");
  return line.substr(begin, end + 1 - begin);
}

}  // namespace

ast::Stmt* Builder::function_statement(P::StatementContext& context) {
  auto* stmt = arena_.make<ast::FunctionStmt>(span(context));
  auto* function = arena_.make<ast::Function>();
  stmt->function = function;
  function->span = stmt->span;
  const antlr4::Token& name = *context.name;
  function->name = text(name);
  function->name_span = span(name);
  function->doc = doc_above(stmt->span.begin);
  std::vector<ast::Decorator> decorators;
  each<P::DecoratorContext>(context, [&](P::DecoratorContext& d) { decorators.push_back(decorator(d)); });
  function->decorators = arena_.list(decorators);
  signature(*first<P::SignatureContext>(context), *function);
  return stmt;
}

ast::Decorator Builder::decorator(P::DecoratorContext& context) {
  ast::Decorator out;
  out.span = span(context);
  out.name_span = span(*context.NAME()->getSymbol());
  out.name = text(out.name_span);
  out.arguments = arguments(first<P::ArgumentsContext>(context), out.name);
  return out;
}

// The comment block whose last line is right above, without its '#'.
std::string_view Builder::doc_above(size_t offset) {
  auto line_begin = [&](size_t at) { return at == 0 ? 0 : text_.rfind('\n', at - 1) + 1; };
  size_t begin = line_begin(offset);
  if (!trimmed(text_.substr(begin, offset - begin)).empty()) return {};
  std::vector<std::string_view> lines;
  while (begin > 0) {
    size_t above = line_begin(begin - 1);
    std::string_view line = trimmed(text_.substr(above, begin - 1 - above));
    if (line.empty() || line[0] != '#') break;
    line.remove_prefix(line.size() > 1 && line[1] == ' ' ? 2 : 1);
    lines.push_back(line);
    begin = above;
  }
  std::string doc;
  for (size_t i = lines.size(); i-- > 0;) doc += std::string(lines[i]) + (i > 0 ? "\n" : "");
  return arena_.text(doc);
}

void Builder::signature(P::SignatureContext& context, ast::Function& function) {
  function.parameters = parameters(context);
  if (context.result != nullptr) function.result = annotation(*context.result);
  if (context.op != nullptr) {
    function.expression = expression(*first<P::ExpressionContext>(context));
  } else {
    function.body = block(*first<P::BlockContext>(context));
  }
}

ast::List<ast::Parameter> Builder::parameters(P::SignatureContext& context) {
  std::vector<ast::Parameter> out;
  each<P::ParameterContext>(context, [&](P::ParameterContext& p) {
    ast::Parameter parameter;
    parameter.span = span(*p.start);
    parameter.name = text(parameter.span);
    if (auto* type = first<P::AnnotationContext>(p)) parameter.annotation = annotation(*type);
    if (auto* value = first<P::ExpressionContext>(p)) parameter.fallback = expression(*value);
    out.push_back(parameter);
  });
  ast::List<ast::Parameter> list = arena_.list(out);
  check_parameters(list);
  return list;
}

void Builder::check_parameters(const ast::List<ast::Parameter>& parameters) {
  std::unordered_set<std::string_view> seen;
  bool defaults = false;
  for (const ast::Parameter& p : parameters) {
    if (!seen.insert(p.name).second) report(message("duplicate_parameter"), p.span, {p.name});
    if (defaults && p.fallback == nullptr) report(message("default_order"), p.span, {p.name});
    defaults = defaults || p.fallback != nullptr;
  }
}

// --- annotations ---

ast::Annotation* Builder::annotation(P::AnnotationContext& context) {
  auto* out = arena_.make<ast::Annotation>();
  out->span = span(context);
  out->is_record = context.op != nullptr && context.op->getType() == P::LBRACE;
  if (out->is_record) {
    record_annotation(context, *out);
    return out;
  }
  out->dtype = text(*context.start);
  out->has_dimensions = context.op != nullptr;
  out->dimensions = dimensions(context);
  if (!is_type(out->dtype)) {
    Diagnostic& d = report(message("unknown_annotation"), span(*context.start), {out->dtype});
    std::string_view near = nearest_name(out->dtype, {std::begin(kTypes), std::end(kTypes)});
    if (!near.empty()) d.hint = "did you mean `" + std::string(near) + "`?";
  }
  return out;
}

void Builder::record_annotation(P::AnnotationContext& context, ast::Annotation& out) {
  std::vector<ast::AnnotationField> fields;
  std::unordered_set<std::string_view> seen;
  check_commas(context);
  each<P::AnnotationFieldContext>(context, [&](P::AnnotationFieldContext& f) {
    Span name = span(*f.start);
    if (!seen.insert(text(name)).second) report(message("duplicate_field"), name, {text(name)});
    fields.push_back({text(name), name, annotation(*first<P::AnnotationContext>(f))});
  });
  out.fields = arena_.list(fields);
}

ast::List<ast::Dimension> Builder::dimensions(P::AnnotationContext& context) {
  std::vector<ast::Dimension> out;
  bool ellipsis = false;
  each<P::DimensionContext>(context, [&](P::DimensionContext& d) {
    auto* value = first<P::ExpressionContext>(d);
    ast::Dimension dimension{value != nullptr ? expression(*value) : nullptr, span(d)};
    if (value == nullptr && ellipsis) report(message("annotation_ellipsis"), dimension.span);
    ellipsis = ellipsis || value == nullptr;
    if (value != nullptr && !is_dimension(dimension.value)) report(message("annotation_dimension"), dimension.span);
    out.push_back(dimension);
  });
  return arena_.list(out);
}

bool Builder::is_dimension(const ast::Expr* expr) const {
  while (expr->kind == ast::ExprKind::binary) {
    const auto* b = static_cast<const ast::Binary*>(expr);
    bool arithmetic = b->op == Operator::add || b->op == Operator::sub || b->op == Operator::mul ||
                      b->op == Operator::floor_div || b->op == Operator::mod;
    if (!arithmetic || !is_dimension(b->right)) return false;
    expr = b->left;
  }
  if (expr->kind == ast::ExprKind::name) return true;
  return expr->kind == ast::ExprKind::number && !static_cast<const ast::Number*>(expr)->is_float;
}

// --- function expressions ---

// x -> e, (x, y) -> e, () -> e.
ast::Expr* Builder::lambda(P::ExpressionContext& context) {
  auto* out = arena_.make<ast::FunctionExpr>(span(context));
  auto* function = arena_.make<ast::Function>();
  out->function = function;
  function->span = out->span;
  function->name_span = span(*context.op);
  std::vector<ast::Parameter> parameters;
  for (antlr4::tree::ParseTree* child : context.children) {
    auto* terminal = dynamic_cast<antlr4::tree::TerminalNode*>(child);
    if (terminal == nullptr) continue;
    const antlr4::Token& token = *terminal->getSymbol();
    bool names = token.getType() == P::NAME || token.getType() == P::PARAMETER;
    if (names) parameters.push_back({text(token), span(token), nullptr, nullptr});
  }
  function->parameters = arena_.list(parameters);
  check_parameters(function->parameters);
  function->expression = expression(*context.right);
  return out;
}

ast::Expr* Builder::function_expression(P::ExpressionContext& context) {
  auto* out = arena_.make<ast::FunctionExpr>(span(context));
  auto* function = arena_.make<ast::Function>();
  out->function = function;
  function->span = out->span;
  function->name_span = span(*context.op);
  signature(*first<P::SignatureContext>(context), *function);
  if (function->expression != nullptr) report(message("function_expression_form"), out->span);
  return out;
}

}  // namespace covec::grammar
