// See expressions.hpp.
#include "frontend/resolve/expressions.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "frontend/resolve/calls.hpp"
#include "frontend/resolve/comprehensions.hpp"
#include "frontend/resolve/functions.hpp"
#include "frontend/resolve/indices.hpp"
#include "frontend/resolve/literals.hpp"
#include "frontend/resolve/pops.hpp"

namespace covec::resolve {

namespace {

// The part of a chain that is read first; a call of a field x.f(…) is one link.
const ast::Expr* left_of(const ast::Expr* e) {
  switch (e->kind) {
    case ast::ExprKind::binary: return static_cast<const ast::Binary*>(e)->left;
    case ast::ExprKind::logical: return static_cast<const ast::Logical*>(e)->left;
    case ast::ExprKind::index: return static_cast<const ast::Index*>(e)->object;
    case ast::ExprKind::field: return static_cast<const ast::Field*>(e)->object;
    case ast::ExprKind::call: {
      const ast::Expr* callee = static_cast<const ast::Call*>(e)->callee;
      if (callee->kind == ast::ExprKind::name) return nullptr;
      if (callee->kind == ast::ExprKind::field) return static_cast<const ast::Field*>(callee)->object;
      return callee;
    }
    default: return nullptr;
  }
}

core::Attribute attribute_of(std::string_view name) {
  constexpr std::pair<std::string_view, core::Attribute> attributes[] = {
      {"T", core::Attribute::T},           {"H", core::Attribute::H},       {"shape", core::Attribute::shape},
      {"dtype", core::Attribute::dtype},   {"rank", core::Attribute::rank}, {"size", core::Attribute::size},
      {"device", core::Attribute::device},
  };
  for (const auto& [text, attribute] : attributes) {
    if (text == name) return attribute;
  }
  return core::Attribute::none;
}

}  // namespace

core::Expr* Expressions::read(const ast::Expr* e) {
  core::Expr* out = operand(e);
  literals_.settle(out);
  return out;
}

core::Expr* Expressions::operand(const ast::Expr* e) {
  const FunctionScope& scope = scopes_.current();
  size_t base = spine_.size();
  size_t mentions = scope.mentions.size();
  uint32_t first_slot = static_cast<uint32_t>(scope.slot_names.size());
  for (; left_of(e) != nullptr; e = left_of(e)) spine_.push_back(e);
  core::Expr* out = leaf(e);
  while (spine_.size() > base) {
    const ast::Expr* outer = spine_.back();
    spine_.pop_back();
    if (outer->kind == ast::ExprKind::index) {
      literals_.settle(out);
      out = indices_.index(*static_cast<const ast::Index*>(outer), out, mentions, first_slot);
    } else {
      out = extend(outer, out);
    }
  }
  return out;
}

core::Expr* Expressions::leaf(const ast::Expr* e) {
  switch (e->kind) {
    case ast::ExprKind::number: return literals_.number(*static_cast<const ast::Number*>(e));
    case ast::ExprKind::text: return nodes_.constant(std::string(static_cast<const ast::Text*>(e)->value), e->span);
    case ast::ExprKind::boolean: return nodes_.constant(static_cast<const ast::Boolean*>(e)->value, e->span);
    case ast::ExprKind::none: return nodes_.constant({}, e->span);
    case ast::ExprKind::name: return references_.to_name(static_cast<const ast::Name*>(e)->name, e->span);
    case ast::ExprKind::format: return format(*static_cast<const ast::Format*>(e));
    case ast::ExprKind::tuple: return tuple(static_cast<const ast::Tuple*>(e)->items, e->span);
    case ast::ExprKind::tensor: return brackets(static_cast<const ast::Tensor*>(e)->items, e->span);
    case ast::ExprKind::map: return map(*static_cast<const ast::Map*>(e));
    case ast::ExprKind::comprehension:
      return comprehensions_.read(*static_cast<const ast::Comprehension*>(e), nullptr, e->span);
    case ast::ExprKind::record: return record(*static_cast<const ast::Record*>(e));
    case ast::ExprKind::function: return functions_.expression(*static_cast<const ast::FunctionExpr*>(e));
    case ast::ExprKind::unary: return unary(*static_cast<const ast::Unary*>(e));
    case ast::ExprKind::comparison: return comparison(*static_cast<const ast::Comparison*>(e));
    case ast::ExprKind::conditional: return conditional(*static_cast<const ast::Conditional*>(e));
    default: return calls_.of_name(*static_cast<const ast::Call*>(e));
  }
}

namespace {

// abs(z)^2, written so, is abs2(z): the operator that has derivatives where the length is 0. Gives nullptr where the
// power is any other.
core::Expr* squared(const ast::Binary& power, core::Expr* base) {
  if (power.op != Operator::pow || base->kind != core::ExprKind::op) return nullptr;
  auto* call = static_cast<core::Op*>(base);
  if (call->builtin->squared == nullptr || power.right->kind != ast::ExprKind::number) return nullptr;
  const auto& exponent = *static_cast<const ast::Number*>(power.right);
  if (exponent.is_float || exponent.imaginary || exponent.integer != 2) return nullptr;
  call->builtin = call->builtin->squared;
  call->entry = call->builtin->entry;
  call->span = power.span;
  return call;
}

}  // namespace

core::Expr* Expressions::extend(const ast::Expr* e, core::Expr* left) {
  if (e->kind != ast::ExprKind::binary) literals_.settle(left);
  switch (e->kind) {
    case ast::ExprKind::binary: {
      const auto& b = *static_cast<const ast::Binary*>(e);
      if (b.op == Operator::in || b.op == Operator::not_in) return containment(b, left);
      if (core::Expr* square = squared(b, left)) return square;
      literals_.warn_of_joining(b);
      return apply(b.op, b.span, left, operand(b.right));
    }
    case ast::ExprKind::logical: return logical(*static_cast<const ast::Logical*>(e), left);
    case ast::ExprKind::field: return field(*static_cast<const ast::Field*>(e), left);
    default: {
      const auto& c = *static_cast<const ast::Call*>(e);
      return c.callee->kind == ast::ExprKind::field ? calls_.of_method(c, left) : calls_.of_value(c, left);
    }
  }
}

// --- operators ---

core::Expr* Expressions::apply(Operator op, Span span, core::Expr* left, core::Expr* right) {
  core::Expr* out = nodes_.apply(op, span, left, right);
  literals_.combine(op, *out, left, right);
  return out;
}

core::Expr* Expressions::containment(const ast::Binary& b, core::Expr* item) {
  literals_.settle(item);
  core::Op* in = nodes_.apply(Operator::in, b.span, item, read(b.right));
  in->literal = false;
  return b.op == Operator::in ? in : nodes_.apply(Operator::logical_not, b.span, in, nullptr);
}

core::Expr* Expressions::unary(const ast::Unary& u) {
  if (u.op == Operator::negate && u.operand->kind == ast::ExprKind::number) return literals_.negated(u);
  return apply(u.op, u.span, operand(u.operand), nullptr);
}

namespace {

// What may be read twice instead of being kept: no work, no effect.
bool is_simple(const core::Expr* e) {
  return e->kind == core::ExprKind::constant || e->kind == core::ExprKind::local ||
         e->kind == core::ExprKind::capture || e->kind == core::ExprKind::global || e->kind == core::ExprKind::builtin;
}

}  // namespace

// a < b <= c is (a < b) & (b <= c), with b evaluated once.
core::Expr* Expressions::comparison(const ast::Comparison& c) {
  core::Expr* left = read(c.operands[0]);
  core::Expr* all = nullptr;
  for (size_t i = 0; i < c.operators.size(); ++i) {
    core::Expr* right = read(c.operands[i + 1]);
    core::Expr* again = nullptr;
    bool last = i + 1 == c.operators.size();
    if (!last && right->kind == core::ExprKind::local && c.operands[i + 1]->kind == ast::ExprKind::call) {
      again = references_.to_temporary(static_cast<core::Local*>(right)->slot, right->span);  // what xs.pop() took
    } else if (!last && is_simple(right)) {
      again = read(c.operands[i + 1]);
    } else if (!last) {
      again = keep(right);
    }
    Span here = c.operands[i]->span.to(c.operands[i + 1]->span);
    core::Op* one = nodes_.apply(c.operators[i], here, left, right);
    all = all == nullptr ? one : nodes_.apply(Operator::bit_and, c.operands[0]->span.to(here), all, one);
    left = again;
  }
  return all;
}

// Binds the value to a slot where it is; gives a node that reads it again.
core::Expr* Expressions::keep(core::Expr*& value) {
  auto* bind = nodes_.make<core::Bind>(value->span);
  bind->slot = scopes_.current().new_slot({});
  bind->value = value;
  bind->literal = value->literal;
  core::Expr* again = references_.to_temporary(bind->slot, value->span);
  again->literal = value->literal;
  value = bind;
  return again;
}

core::Expr* Expressions::logical(const ast::Logical& l, core::Expr* left) {
  auto* out = nodes_.make<core::Select>(l.span);
  out->form = l.is_or ? core::Select::Form::or_ : core::Select::Form::and_;
  out->condition = left;
  const Pops::Uncertain uncertain(pops_);
  core::Expr* right = read(l.right);
  core::Expr* known = nodes_.constant(l.is_or, l.span);
  out->then = l.is_or ? known : right;
  out->otherwise = l.is_or ? right : known;
  return out;
}

core::Expr* Expressions::conditional(const ast::Conditional& c) {
  auto* out = nodes_.make<core::Select>(c.span);
  out->condition = read(c.condition);
  const Pops::Uncertain uncertain(pops_);
  out->then = read(c.then);
  out->otherwise = read(c.otherwise);
  return out;
}

// --- making ---

template <class Node>
core::Expr* Expressions::collection(const ast::List<ast::Expr*>& items, Span span) {
  auto* out = nodes_.make<Node>(span);
  out->items.reserve(items.size());
  for (const ast::Expr* item : items) out->items.push_back(read(item));
  return out;
}

namespace {

bool has_spread(const ast::List<ast::Expr*>& items) {
  return std::any_of(items.begin(), items.end(), [](const ast::Expr* e) { return e->kind == ast::ExprKind::spread; });
}

}  // namespace

core::Expr* Expressions::tuple(const ast::List<ast::Expr*>& items, Span span) {
  return has_spread(items) ? spread(Operator::spread_tuple, items, span) : collection<core::MakeTuple>(items, span);
}

core::Expr* Expressions::brackets(const ast::List<ast::Expr*>& items, Span span) {
  return has_spread(items) ? spread(Operator::spread_brackets, items, span) : collection<core::MakeTensor>(items, span);
}

// For each item whether it is spread, and the item.
core::Expr* Expressions::spread(Operator op, const ast::List<ast::Expr*>& items, Span span) {
  core::Op* out = nodes_.variadic(op, span);
  for (const ast::Expr* item : items) {
    const bool spread = item->kind == ast::ExprKind::spread;
    out->rest.push_back(nodes_.constant(spread, item->span));
    out->rest.push_back(read(spread ? static_cast<const ast::Spread*>(item)->value : item));
  }
  return out;
}

// For each item its key, none where it is spread, and the value.
core::Expr* Expressions::map(const ast::Map& m) {
  core::Op* out = nodes_.variadic(Operator::make_map, m.span);
  for (const ast::MapItem& item : m.items) {
    out->rest.push_back(item.key != nullptr ? read(item.key) : nodes_.constant({}, item.value->span));
    out->rest.push_back(read(item.value));
  }
  return out;
}

core::Expr* Expressions::spread_record(const ast::Record& r) {
  core::Op* out = nodes_.variadic(Operator::spread_fields, r.span);
  for (const ast::RecordField& f : r.fields) {
    out->rest.push_back(f.name.empty() ? nodes_.constant({}, f.name_span)
                                       : nodes_.constant(std::string(f.name), f.name_span));
    out->rest.push_back(read(f.value));
  }
  return out;
}

core::Expr* Expressions::record(const ast::Record& r) {
  const auto is_spread = [](const ast::RecordField& f) { return f.name.empty(); };
  if (std::any_of(r.fields.begin(), r.fields.end(), is_spread)) return spread_record(r);
  auto* out = nodes_.make<core::MakeRecord>(r.span);
  for (const ast::RecordField& f : r.fields) {
    out->names.push_back(names_.intern(f.name));
    out->items.push_back(read(f.value));
  }
  return out;
}

core::Expr* Expressions::format(const ast::Format& f) {
  auto* out = nodes_.make<core::Format>(f.span);
  for (const ast::FormatPiece& piece : f.pieces) {
    core::Format::Piece p;
    p.text = piece.text;
    p.spec = piece.spec;
    if (piece.value != nullptr) p.value = read(piece.value);
    out->pieces.push_back(std::move(p));
  }
  return out;
}

// --- parts ---

core::Expr* Expressions::field(const ast::Field& f, core::Expr* object) {
  auto* out = nodes_.make<core::Field>(f.span);
  out->object = object;
  out->name = names_.intern(f.name);
  out->attribute = attribute_of(f.name);
  return out;
}

}  // namespace covec::resolve
