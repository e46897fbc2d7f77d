// Expressions: see resolver.hpp. As in the parser, chains are walked down their left side and built coming back.
#include "frontend/resolve/resolver.hpp"

namespace covec::resolve {

using messages::message;

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
      {"T", core::Attribute::T},       {"shape", core::Attribute::shape}, {"dtype", core::Attribute::dtype},
      {"rank", core::Attribute::rank}, {"size", core::Attribute::size},   {"device", core::Attribute::device},
  };
  for (const auto& [text, attribute] : attributes) {
    if (text == name) return attribute;
  }
  return core::Attribute::none;
}

}  // namespace

core::Expr* Resolver::expr(const ast::Expr* e) {
  size_t base = spine_.size();
  size_t mentions = scope_->mentions.size();
  uint32_t first_slot = static_cast<uint32_t>(scope_->slot_names.size());
  for (; left_of(e) != nullptr; e = left_of(e)) spine_.push_back(e);
  core::Expr* out = leaf(e);
  while (spine_.size() > base) {
    const ast::Expr* outer = spine_.back();
    spine_.pop_back();
    if (outer->kind == ast::ExprKind::index) {
      out = index(*static_cast<const ast::Index*>(outer), out, mentions, first_slot);
    } else {
      out = extend(outer, out);
    }
  }
  return out;
}

core::Expr* Resolver::leaf(const ast::Expr* e) {
  switch (e->kind) {
    case ast::ExprKind::number: return number(*static_cast<const ast::Number*>(e), false);
    case ast::ExprKind::text: return constant(std::string(static_cast<const ast::Text*>(e)->value), e->span);
    case ast::ExprKind::boolean: return constant(static_cast<const ast::Boolean*>(e)->value, e->span);
    case ast::ExprKind::none: return constant({}, e->span);
    case ast::ExprKind::name: return name(static_cast<const ast::Name*>(e)->name, e->span);
    case ast::ExprKind::format: return format(*static_cast<const ast::Format*>(e));
    case ast::ExprKind::tuple: return collection<core::MakeTuple>(static_cast<const ast::Tuple*>(e)->items, e->span);
    case ast::ExprKind::tensor: return collection<core::MakeTensor>(static_cast<const ast::Tensor*>(e)->items, e->span);
    case ast::ExprKind::comprehension:
      return comprehension(*static_cast<const ast::Comprehension*>(e), nullptr, e->span);
    case ast::ExprKind::record: return record(*static_cast<const ast::Record*>(e));
    case ast::ExprKind::function: return function_expression(*static_cast<const ast::FunctionExpr*>(e));
    case ast::ExprKind::unary: return unary(*static_cast<const ast::Unary*>(e));
    case ast::ExprKind::comparison: return comparison(*static_cast<const ast::Comparison*>(e));
    case ast::ExprKind::conditional: return conditional(*static_cast<const ast::Conditional*>(e));
    default: return call_of_name(*static_cast<const ast::Call*>(e));
  }
}

core::Expr* Resolver::extend(const ast::Expr* e, core::Expr* left) {
  switch (e->kind) {
    case ast::ExprKind::binary: {
      const auto& b = *static_cast<const ast::Binary*>(e);
      return apply(b.op, b.span, left, expr(b.right));
    }
    case ast::ExprKind::logical: return logical(*static_cast<const ast::Logical*>(e), left);
    case ast::ExprKind::field: return field(*static_cast<const ast::Field*>(e), left);
    default: {
      const auto& c = *static_cast<const ast::Call*>(e);
      return c.callee->kind == ast::ExprKind::field ? method_call(c, left) : plain_call(c, left);
    }
  }
}

// --- constants ---

core::Constant* Resolver::constant(core::ConstantValue value, Span span, bool literal) {
  auto* out = make<core::Constant>(span);
  out->value = std::move(value);
  out->literal = literal;
  out->id = static_cast<uint32_t>(unit_.constants.size());
  unit_.constants.push_back(out);
  return out;
}

core::Expr* Resolver::number(const ast::Number& n, bool negative) {
  if (n.is_float) return constant(negative ? -n.real : n.real, n.span, true);
  constexpr uint64_t kLimit = uint64_t{1} << 63;
  if (n.integer == kLimit && !negative) {
    report(message("number_too_large"), n.span, {text(n.span), "i64"}).hint = "write it as a float, with a dot";
  }
  uint64_t bits = negative ? uint64_t{0} - n.integer : n.integer;
  return constant(static_cast<int64_t>(bits), n.span, true);
}

core::Expr* Resolver::unary(const ast::Unary& u) {
  if (u.op == Operator::negate && u.operand->kind == ast::ExprKind::number) return negated(u);
  return apply(u.op, u.span, expr(u.operand), nullptr);
}

// A minus before a number is part of the literal: so the least integer can be written.
core::Expr* Resolver::negated(const ast::Unary& u) {
  core::Expr* out = number(*static_cast<const ast::Number*>(u.operand), true);
  out->span = u.span;
  return out;
}

// --- operators ---

core::Op* Resolver::apply(Operator op, Span span, core::Expr* left, core::Expr* right) {
  const Builtin& builtin = builtins_.of(op);
  auto* out = make<core::Op>(span);
  out->builtin = &builtin;
  out->entry = builtin.entry;
  out->args = right == nullptr ? std::vector<core::Expr*>{left} : std::vector<core::Expr*>{left, right};
  out->literal = left->literal && (right == nullptr || right->literal);
  return out;
}

core::Local* Resolver::temporary(uint32_t slot, Span span) {
  auto* out = make<core::Local>(span);
  out->slot = slot;
  out->maybe_unbound = slot >= unsure_from_;
  scope_->mentions.push_back(slot);
  return out;
}

namespace {

// What may be read twice instead of being kept: no work, no effect.
bool is_simple(const core::Expr* e) {
  return e->kind == core::ExprKind::constant || e->kind == core::ExprKind::local ||
         e->kind == core::ExprKind::capture || e->kind == core::ExprKind::global || e->kind == core::ExprKind::builtin;
}

}  // namespace

// a < b <= c is (a < b) & (b <= c), with b evaluated once.
core::Expr* Resolver::comparison(const ast::Comparison& c) {
  core::Expr* left = expr(c.operands[0]);
  core::Expr* all = nullptr;
  for (size_t i = 0; i < c.operators.size(); ++i) {
    core::Expr* right = expr(c.operands[i + 1]);
    core::Expr* again = nullptr;
    bool last = i + 1 == c.operators.size();
    if (!last && is_simple(right)) {
      again = expr(c.operands[i + 1]);
    } else if (!last) {
      auto* bind = make<core::Bind>(right->span);
      bind->slot = scope_->new_slot({});
      bind->value = right;
      bind->literal = right->literal;
      again = temporary(bind->slot, right->span);
      again->literal = right->literal;
      right = bind;
    }
    Span here = c.operands[i]->span.to(c.operands[i + 1]->span);
    core::Op* one = apply(c.operators[i], here, left, right);
    all = all == nullptr ? one : apply(Operator::bit_and, c.operands[0]->span.to(here), all, one);
    left = again;
  }
  return all;
}

core::Expr* Resolver::logical(const ast::Logical& l, core::Expr* left) {
  auto* out = make<core::Select>(l.span);
  out->form = l.is_or ? core::Select::Form::or_ : core::Select::Form::and_;
  out->condition = left;
  core::Expr* right = expr(l.right);
  core::Expr* known = constant(l.is_or, l.span);
  out->then = l.is_or ? known : right;
  out->otherwise = l.is_or ? right : known;
  return out;
}

core::Expr* Resolver::conditional(const ast::Conditional& c) {
  auto* out = make<core::Select>(c.span);
  out->condition = expr(c.condition);
  out->then = expr(c.then);
  out->otherwise = expr(c.otherwise);
  return out;
}

// --- making ---

template <class Node>
core::Expr* Resolver::collection(const ast::List<ast::Expr*>& items, Span span) {
  auto* out = make<Node>(span);
  out->items.reserve(items.size());
  for (const ast::Expr* item : items) out->items.push_back(expr(item));
  return out;
}

core::Expr* Resolver::record(const ast::Record& r) {
  auto* out = make<core::MakeRecord>(r.span);
  for (const ast::RecordField& f : r.fields) {
    out->names.push_back(intern(f.name));
    out->items.push_back(expr(f.value));
  }
  return out;
}

core::Expr* Resolver::format(const ast::Format& f) {
  auto* out = make<core::Format>(f.span);
  for (const ast::FormatPiece& piece : f.pieces) {
    core::Format::Piece p;
    p.text = piece.text;
    p.spec = piece.spec;
    if (piece.value != nullptr) p.value = expr(piece.value);
    out->pieces.push_back(std::move(p));
  }
  return out;
}

// --- parts ---

core::Expr* Resolver::field(const ast::Field& f, core::Expr* object) {
  auto* out = make<core::Field>(f.span);
  out->object = object;
  out->name = intern(f.name);
  out->attribute = attribute_of(f.name);
  return out;
}

core::Expr* Resolver::index(const ast::Index& i, core::Expr* object, size_t mentions_begin, uint32_t first_slot) {
  auto* out = make<core::Index>(i.span);
  out->object = object;
  size_t mentions_end = scope_->mentions.size();
  out->items.reserve(i.items.size());
  for (const ast::IndexItem& item : i.items) out->items.push_back(index_item(item));
  scope_->index_uses.push_back({out, &out->object, mentions_begin, mentions_end, first_slot, nullptr, nullptr});
  return out;
}

core::IndexItem Resolver::index_item(const ast::IndexItem& item) {
  auto part = [&](const ast::Expr* e) { return e == nullptr ? nullptr : expr(e); };
  core::IndexItem out;
  out.span = item.span;
  switch (item.kind) {
    case ast::IndexItem::Kind::ellipsis: out.kind = core::IndexItem::Kind::ellipsis; return out;
    case ast::IndexItem::Kind::slice:
      out.kind = core::IndexItem::Kind::slice;
      out.start = part(item.start);
      out.stop = part(item.stop);
      out.step = part(item.step);
      return out;
    case ast::IndexItem::Kind::at: break;
  }
  bool named = item.at->kind == ast::ExprKind::name && static_cast<const ast::Name*>(item.at)->name == "newaxis";
  bool means_newaxis = item.at->kind == ast::ExprKind::none;
  if (named) {
    Found::Kind kind = find(*scope_, intern("newaxis")).kind;
    means_newaxis = kind == Found::Kind::nothing || kind == Found::Kind::builtin;
  }
  if (means_newaxis)
    out.kind = core::IndexItem::Kind::newaxis;
  else
    out.at = expr(item.at);
  return out;
}

}  // namespace covec::resolve
