// See indices.hpp.
#include "frontend/resolve/indices.hpp"

#include "frontend/resolve/expressions.hpp"

namespace covec::resolve {

core::Expr* Indices::index(const ast::Index& i, core::Expr* object, size_t mentions_begin, uint32_t first_slot) {
  FunctionScope& scope = scopes_.current();
  auto* out = nodes_.make<core::Index>(i.span);
  out->object = object;
  size_t mentions_end = scope.mentions.size();
  out->items.reserve(i.items.size());
  for (const ast::IndexItem& one : i.items) out->items.push_back(item(one));
  scope.index_uses.push_back({out, &out->object, mentions_begin, mentions_end, first_slot, nullptr, nullptr});
  return out;
}

core::IndexItem Indices::item(const ast::IndexItem& item) {
  auto part = [&](const ast::Expr* e) { return e == nullptr ? nullptr : expressions_.read(e); };
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
  if (means_newaxis(*item.at))
    out.kind = core::IndexItem::Kind::newaxis;
  else
    out.at = expressions_.read(item.at);
  return out;
}

// `none`, or the name newaxis where it is no variable.
bool Indices::means_newaxis(const ast::Expr& at) {
  bool named = at.kind == ast::ExprKind::name && static_cast<const ast::Name&>(at).name == "newaxis";
  if (!named) return at.kind == ast::ExprKind::none;
  Found::Kind kind = lookup_.find(scopes_.current(), names_.intern("newaxis")).kind;
  return kind == Found::Kind::nothing || kind == Found::Kind::builtin;
}

}  // namespace covec::resolve
