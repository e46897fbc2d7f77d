// See build_expressions.hpp. `expression` goes down the left side to the primary, then comes back up, one operator,
// call, index or field at a time.
#include "frontend/parse/build_expressions.hpp"

#include <unordered_set>

#include "frontend/parse/build_functions.hpp"
#include "frontend/parse/children.hpp"

namespace covec::grammar {

using messages::message;

namespace {

using P = CovecParser;

bool is_comparison(size_t type) { return type >= P::LESS && type <= P::NOT_EQUAL; }

Operator operator_of(size_t type) {
  switch (type) {
    case P::POWER: return Operator::pow;
    case P::STAR: return Operator::mul;
    case P::SLASH: return Operator::div;
    case P::FLOOR_DIVIDE: return Operator::floor_div;
    case P::PERCENT: return Operator::mod;
    case P::AT: return Operator::matmul;
    case P::SHIFT_LEFT: return Operator::shift_left;
    case P::SHIFT_RIGHT: return Operator::shift_right;
    case P::PLUS: return Operator::add;
    case P::MINUS: return Operator::sub;
    case P::LESS: return Operator::less;
    case P::LESS_EQUAL: return Operator::less_equal;
    case P::GREATER: return Operator::greater;
    case P::GREATER_EQUAL: return Operator::greater_equal;
    case P::EQUAL: return Operator::equal;
    case P::NOT_EQUAL: return Operator::not_equal;
    case P::IN_OPERATOR: return Operator::in;
    case P::NOT_IN: return Operator::not_in;
    case P::AMPERSAND: return Operator::bit_and;
    default: return Operator::bit_or;
  }
}

}  // namespace

std::vector<ast::Expr*> ExpressionBuilder::expressions_in(antlr4::ParserRuleContext& context) {
  std::vector<ast::Expr*> out;
  each<P::ExpressionContext>(context, [&](P::ExpressionContext& e) { out.push_back(expression(e)); });
  return out;
}

std::vector<ast::Expr*> ExpressionBuilder::items_in(antlr4::ParserRuleContext& context) {
  std::vector<ast::Expr*> out;
  each<P::ExpressionContext>(context, [&](P::ExpressionContext& e) { out.push_back(item(e)); });
  return out;
}

ast::Expr* ExpressionBuilder::alone(ast::Expr* item) {
  if (item->kind != ast::ExprKind::spread) return item;
  places_.report(message("spread_alone"), item->span, {places_.text(item->span)});
  return static_cast<ast::Spread*>(item)->value;
}

ast::Expr* ExpressionBuilder::expression(P::ExpressionContext& context) {
  if (context.left == nullptr && (context.op->getType() == P::STAR || context.op->getType() == P::POWER)) {
    places_.report(message("spread_place"), places_.span(*context.op), {places_.text(*context.op)});
    return expression(*context.right);
  }
  return chain(context);
}

ast::Expr* ExpressionBuilder::item(P::ExpressionContext& context) {
  const bool starred = context.left == nullptr && context.op->getType() == P::STAR;
  return starred ? spread(context) : expression(context);
}

ast::Expr* ExpressionBuilder::spread(P::ExpressionContext& context) {
  auto* out = arena_.make<ast::Spread>(places_.span(context));
  out->named = context.op->getType() == P::POWER;
  out->value = expression(*context.right);
  return out;
}

ast::Expr* ExpressionBuilder::chain(P::ExpressionContext& context) {
  size_t base = spine_.size();
  P::ExpressionContext* inner = &context;
  while (inner->left != nullptr) {
    spine_.push_back(inner);
    inner = inner->left;
  }
  ast::Expr* out = primary(*inner);
  while (spine_.size() > base) {
    P::ExpressionContext& outer = *spine_.back();
    check_chain(outer);
    if (is_comparison(outer.op->getType())) {
      spine_.resize(extend_comparisons(out, base, spine_.size()));
    } else {
      spine_.pop_back();
      out = extend(outer, out);
    }
  }
  return out;
}

namespace {

bool is_containment(size_t type) { return type == P::IN_OPERATOR || type == P::NOT_IN; }

}  // namespace

// `a in b in c` and `a < b in c` say nothing.
void ExpressionBuilder::check_chain(const P::ExpressionContext& outer) {
  const size_t type = outer.op->getType(), inner = outer.left->op->getType();
  const bool chained = (is_containment(type) && (is_comparison(inner) || is_containment(inner))) ||
                       (is_comparison(type) && is_containment(inner));
  if (chained) places_.report(message("in_chain"), places_.span(*outer.op));
}

// Joins the comparisons at the top of the spine, a < b <= c, into one; gives what is left of the spine.
size_t ExpressionBuilder::extend_comparisons(ast::Expr*& left, size_t base, size_t top) {
  std::vector<Operator> operators;
  std::vector<ast::Expr*> operands{left};
  Span whole = left->span;
  while (top > base && is_comparison(spine_[top - 1]->op->getType())) {
    P::ExpressionContext& context = *spine_[--top];
    operators.push_back(operator_of(context.op->getType()));
    operands.push_back(expression(*context.right));
    whole = places_.span(context);
  }
  if (operators.size() == 1) {
    auto* out = arena_.make<ast::Binary>(whole);
    out->op = operators[0];
    out->left = operands[0];
    out->right = operands[1];
    left = out;
    return top;
  }
  auto* out = arena_.make<ast::Comparison>(whole);
  out->operators = arena_.list(operators);
  out->operands = arena_.list(operands);
  left = out;
  return top;
}

ast::Expr* ExpressionBuilder::primary(P::ExpressionContext& context) {
  const antlr4::Token& op = *context.op;
  switch (op.getType()) {
    case P::INTEGER:
    case P::FLOAT: return literals_.number(op);
    case P::STRING: {
      auto* out = arena_.make<ast::Text>(places_.span(op));
      out->value = literals_.string_value(op);
      return out;
    }
    case P::TRUE:
    case P::FALSE: {
      auto* out = arena_.make<ast::Boolean>(places_.span(op));
      out->value = op.getType() == P::TRUE;
      return out;
    }
    case P::NONE: return arena_.make<ast::None>(places_.span(op));
    case P::NAME: {
      auto* out = arena_.make<ast::Name>(places_.span(op));
      out->name = places_.text(op);
      return out;
    }
    case P::FSTRING_START: return format(context);
    case P::LPAREN: return parenthesized(context);
    case P::PARAMETER:
    case P::LAMBDA_PAREN: return functions_.lambda(context);
    case P::LBRACKET: return bracketed(context);
    case P::LBRACE: return braces(context);
    case P::FN_EXPRESSION: return functions_.expression(context);
    default: return unary(context);
  }
}

ast::Expr* ExpressionBuilder::unary(P::ExpressionContext& context) {
  auto* out = arena_.make<ast::Unary>(places_.span(context));
  switch (context.op->getType()) {
    case P::MINUS: out->op = Operator::negate; break;
    case P::PLUS: out->op = Operator::plus; break;
    case P::TILDE: out->op = Operator::bit_not; break;
    default: out->op = Operator::logical_not; break;
  }
  out->operand = expression(*context.right);
  return out;
}

ast::Expr* ExpressionBuilder::extend(P::ExpressionContext& context, ast::Expr* left) {
  switch (context.op->getType()) {
    case P::LPAREN: return call(context, left);
    case P::LBRACKET: return index(context, left);
    case P::DOT: {
      auto* out = arena_.make<ast::Field>(places_.span(context));
      out->object = left;
      out->name_span = places_.span(*context.stop);
      out->name = places_.text(out->name_span);
      return out;
    }
    case P::IF: {
      auto* out = arena_.make<ast::Conditional>(places_.span(context));
      out->then = left;
      out->condition = expression(*context.condition);
      out->otherwise = expression(*context.right);
      return out;
    }
    default: return binary(context, left);
  }
}

ast::Expr* ExpressionBuilder::binary(P::ExpressionContext& context, ast::Expr* left) {
  size_t type = context.op->getType();
  if (type == P::AND || type == P::OR) {
    auto* out = arena_.make<ast::Logical>(places_.span(context));
    out->is_or = type == P::OR;
    out->left = left;
    out->right = expression(*context.right);
    return out;
  }
  auto* out = arena_.make<ast::Binary>(places_.span(context));
  out->op = operator_of(type);
  out->left = left;
  out->right = expression(*context.right);
  return out;
}

ast::Expr* ExpressionBuilder::parenthesized(P::ExpressionContext& context) {
  std::vector<ast::Expr*> items = items_in(context);
  if (items.size() == 1 && context.trailing == nullptr) {
    items[0] = alone(items[0]);
    items[0]->span = places_.span(context);
    return items[0];
  }
  auto* out = arena_.make<ast::Tuple>(places_.span(context));
  out->items = arena_.list(items);
  return out;
}

ast::Expr* ExpressionBuilder::bracketed(P::ExpressionContext& context) {
  if (auto* generator = first<P::GeneratorContext>(context)) {
    return comprehension(*first<P::ExpressionContext>(context), *generator, places_.span(context), false);
  }
  auto* out = arena_.make<ast::Tensor>(places_.span(context));
  out->items = arena_.list(items_in(context));
  return out;
}

namespace {

bool is_name(const P::ExpressionContext& context) {
  return context.left == nullptr && context.op->getType() == P::NAME;
}

bool is_integer(const ast::Expr* e) {
  return e->kind == ast::ExprKind::number && !static_cast<const ast::Number*>(e)->is_float;
}

bool is_key_literal(const ast::Expr* e) {
  if (e->kind == ast::ExprKind::unary) {
    const auto& u = *static_cast<const ast::Unary*>(e);
    return (u.op == Operator::negate || u.op == Operator::plus) && is_integer(u.operand);
  }
  return e->kind == ast::ExprKind::text || e->kind == ast::ExprKind::format || e->kind == ast::ExprKind::boolean ||
         is_integer(e);
}

// The same text for the same key; empty where only the run knows it.
std::string constant_text(const ast::Expr* e) {
  const bool negative = e->kind == ast::ExprKind::unary;
  if (negative) e = static_cast<const ast::Unary*>(e)->operand;
  switch (e->kind) {
    case ast::ExprKind::text: return "\"" + std::string(static_cast<const ast::Text*>(e)->value);
    case ast::ExprKind::boolean: return static_cast<const ast::Boolean*>(e)->value ? "true" : "false";
    case ast::ExprKind::number:
      return is_integer(e) ? (negative ? "-" : "") + std::to_string(static_cast<const ast::Number*>(e)->integer) : "";
    default: return {};
  }
}

// for k, v in d: for (k, v) in d.
std::string with_target_in_parentheses(std::string_view clauses) {
  constexpr std::string_view head = "for ";
  const size_t in = clauses.find(" in ");
  if (!clauses.starts_with(head) || in == std::string_view::npos) return std::string(clauses);
  const std::string_view target = clauses.substr(head.size(), in - head.size());
  if (target.find(',') == std::string_view::npos || target.starts_with('(')) return std::string(clauses);
  return "for (" + std::string(target) + ")" + std::string(clauses.substr(in));
}

}  // namespace

// Names as keys make a record, others a map; where all is spread it is told by what is spread.
ast::Expr* ExpressionBuilder::braces(P::ExpressionContext& context) {
  check_commas(context, places_);
  const P::ExpressionContext *named = nullptr, *keyed = nullptr;
  each<P::RecordFieldContext>(context, [&](P::RecordFieldContext& f) {
    if (auto* clauses = first<P::GeneratorContext>(f)) {
      const std::string written = with_target_in_parentheses(places_.text(places_.span(*clauses)));
      places_.report(message("map_comprehension"), places_.span(*clauses),
                     {places_.text(places_.span(*f.key)), places_.text(places_.span(*f.value)), written});
    }
    if (f.op->getType() == P::COLON) (is_name(*f.key) ? named : keyed) = f.key;
  });
  if (named != nullptr && keyed != nullptr)
    places_.report(message("mixed_keys"), places_.span(*named), {places_.text(places_.span(*named))});
  return keyed != nullptr && named == nullptr ? map(context) : record(context);
}

ast::Expr* ExpressionBuilder::record(P::ExpressionContext& context) {
  auto* out = arena_.make<ast::Record>(places_.span(context));
  std::vector<ast::RecordField> fields;
  std::unordered_set<std::string_view> seen;
  each<P::RecordFieldContext>(context, [&](P::RecordFieldContext& f) {
    if (f.op->getType() == P::ELLIPSIS) {
      fields.push_back({{}, places_.span(f), expression(*f.value)});
      return;
    }
    Span name = places_.span(*f.key);
    if (!seen.insert(places_.text(name)).second) places_.report(message("duplicate_field"), name, {places_.text(name)});
    fields.push_back({places_.text(name), name, expression(*f.value)});
  });
  out->fields = arena_.list(fields);
  return out;
}

ast::Expr* ExpressionBuilder::map(P::ExpressionContext& context) {
  auto* out = arena_.make<ast::Map>(places_.span(context));
  std::vector<ast::MapItem> items;
  std::unordered_set<std::string> seen;
  each<P::RecordFieldContext>(context, [&](P::RecordFieldContext& f) {
    ast::MapItem item;
    if (f.op->getType() != P::ELLIPSIS) {
      item.key = key(*f.key);
      std::string text = constant_text(item.key);
      if (!text.empty() && !seen.insert(std::move(text)).second)
        places_.report(message("duplicate_key"), item.key->span, {places_.text(item.key->span)});
    }
    item.value = expression(*f.value);
    items.push_back(item);
  });
  out->items = arena_.list(items);
  return out;
}

// A literal, or anything in parentheses.
ast::Expr* ExpressionBuilder::key(P::ExpressionContext& context) {
  ast::Expr* out = expression(context);
  const bool parenthesized = context.left == nullptr && context.op->getType() == P::LPAREN;
  if (!parenthesized && !is_key_literal(out)) {
    const ast::Expr* number = out->kind == ast::ExprKind::unary ? static_cast<const ast::Unary*>(out)->operand : out;
    const bool is_float = number->kind == ast::ExprKind::number && !is_integer(number);
    places_.report(is_float ? message("key_float") : message("key_form"), out->span,
                   {places_.text(out->span), places_.text(out->span)});
  }
  return out;
}

// --- f-strings ---

ast::Expr* ExpressionBuilder::format(P::ExpressionContext& context) {
  auto* out = arena_.make<ast::Format>(places_.span(context));
  std::vector<ast::FormatPiece> pieces;
  for (antlr4::tree::ParseTree* child : context.children) {
    if (auto* inner = dynamic_cast<P::InterpolationContext*>(child)) {
      pieces.push_back(interpolation(*inner));
      continue;
    }
    const antlr4::Token& token = *static_cast<antlr4::tree::TerminalNode*>(child)->getSymbol();
    if (token.getType() != P::FSTRING_TEXT) continue;
    pieces.push_back({literals_.format_text(token), nullptr, {}});
  }
  out->pieces = arena_.list(pieces);
  return out;
}

ast::FormatPiece ExpressionBuilder::interpolation(P::InterpolationContext& context) {
  ast::FormatPiece piece;
  piece.value = expression(*first<P::ExpressionContext>(context));
  if (auto* spec = context.FORMAT_TEXT()) piece.spec = places_.text(*spec->getSymbol());
  return piece;
}

// --- calls ---

ast::Expr* ExpressionBuilder::call(P::ExpressionContext& context, ast::Expr* callee) {
  auto* out = arena_.make<ast::Call>(places_.span(context));
  out->callee = callee;
  out->arguments = arguments(first<P::ArgumentsContext>(context), places_.text(callee->span));
  return out;
}

ast::List<ast::Argument> ExpressionBuilder::arguments(P::ArgumentsContext* context, std::string_view callee) {
  if (context == nullptr) return {};
  std::vector<ast::Argument> out;
  auto* generator = first<P::GeneratorContext>(*context);
  each<P::ArgumentContext>(*context, [&](P::ArgumentContext& a) { out.push_back(argument(a, generator != nullptr)); });
  if (generator != nullptr) {
    auto& body = *first<P::ExpressionContext>(*first<P::ArgumentContext>(*context));
    if (!out[0].name.empty()) places_.report(message("generator_not_alone"), places_.span(*context), {callee});
    out[0].value = comprehension(body, *generator, places_.span(*context), true);
  }
  check_arguments(out);
  return arena_.list(out);
}

ast::Argument ExpressionBuilder::argument(P::ArgumentContext& context, bool followed_by_clauses) {
  auto* value = first<P::ExpressionContext>(context);
  ast::Argument out;
  if (context.op == nullptr) {
    if (!followed_by_clauses) out.value = argument_value(*value);
    return out;
  }
  out.name_span = places_.span(*value);
  out.name = places_.text(out.name_span);
  bool plain = value->left == nullptr && value->op->getType() == P::NAME;
  if (!plain) places_.report(message("keyword_argument"), out.name_span);
  out.value = expression(*static_cast<P::ExpressionContext*>(context.children.back()));
  return out;
}

// An expression, *e, or **e (which `^` is not, though the lexer has one token for both).
ast::Expr* ExpressionBuilder::argument_value(P::ExpressionContext& context) {
  const bool named = context.left == nullptr && context.op->getType() == P::POWER && places_.text(*context.op) == "**";
  return named ? spread(context) : item(context);
}

void ExpressionBuilder::check_arguments(const std::vector<ast::Argument>& arguments) {
  std::unordered_set<std::string_view> names;
  bool named = false;
  for (const ast::Argument& a : arguments) {
    const bool fields = a.value->kind == ast::ExprKind::spread && static_cast<const ast::Spread*>(a.value)->named;
    named |= fields || !a.name.empty();
    if (fields) continue;
    if (a.name.empty() && named) places_.report(message("positional_after_keyword"), a.value->span);
    if (!a.name.empty() && !names.insert(a.name).second) places_.report(message("given_twice"), a.name_span, {a.name});
  }
}

// --- comprehensions ---

ast::Expr* ExpressionBuilder::comprehension(P::ExpressionContext& body, P::GeneratorContext& generator, Span span,
                                            bool argument) {
  auto* out = arena_.make<ast::Comprehension>(span);
  out->argument = argument;
  out->body = expression(body);
  std::vector<ast::Clause> clauses;
  each<P::ClauseContext>(generator, [&](P::ClauseContext& c) { clauses.push_back(clause(c)); });
  out->clauses = arena_.list(clauses);
  if (auto* filter = first<P::ExpressionContext>(generator)) out->filter = expression(*filter);
  return out;
}

ast::Clause ExpressionBuilder::clause(P::ClauseContext& context) {
  std::vector<ast::Expr*> parts = expressions_in(context);
  check_clause_target(parts[0]);
  return {parts[0], parts.size() > 1 ? parts[1] : nullptr, places_.span(context)};
}

bool ExpressionBuilder::check_clause_target(const ast::Expr* target) {
  if (target->kind == ast::ExprKind::name) return true;
  if (target->kind == ast::ExprKind::tuple) {
    const auto& items = static_cast<const ast::Tuple*>(target)->items;
    for (const ast::Expr* item : items) {
      if (!check_clause_target(item)) return false;
    }
    if (!items.empty()) return true;
  }
  places_.report(message("comprehension_target"), target->span);
  return false;
}

// --- indices ---

ast::Expr* ExpressionBuilder::index(P::ExpressionContext& context, ast::Expr* object) {
  auto* out = arena_.make<ast::Index>(places_.span(context));
  out->object = object;
  std::vector<ast::IndexItem> items;
  bool ellipsis = false;
  each<P::IndexItemContext>(context, [&](P::IndexItemContext& c) {
    items.push_back(index_item(c));
    bool is_ellipsis = items.back().kind == ast::IndexItem::Kind::ellipsis;
    if (is_ellipsis && ellipsis) places_.report(message("index_ellipsis"), items.back().span);
    ellipsis = ellipsis || is_ellipsis;
  });
  out->items = arena_.list(items);
  return out;
}

ast::IndexItem ExpressionBuilder::index_item(P::IndexItemContext& context) {
  ast::IndexItem out;
  out.span = places_.span(context);
  if (context.op != nullptr && context.op->getType() == P::ELLIPSIS) {
    out.kind = ast::IndexItem::Kind::ellipsis;
    return out;
  }
  if (context.op == nullptr) {
    out.at = expression(*first<P::ExpressionContext>(context));
    return out;
  }
  out.kind = ast::IndexItem::Kind::slice;
  ast::Expr** part = &out.start;
  for (antlr4::tree::ParseTree* child : context.children) {
    if (auto* e = dynamic_cast<P::ExpressionContext*>(child))
      *part = expression(*e);
    else
      part = part == &out.start ? &out.stop : &out.step;
  }
  return out;
}

}  // namespace covec::grammar
