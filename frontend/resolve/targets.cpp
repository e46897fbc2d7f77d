// See targets.hpp.
#include "frontend/resolve/targets.hpp"

#include "frontend/scopes/unread.hpp"

#include <utility>
#include <vector>

namespace covec::resolve {

using messages::message;

core::Slot Targets::slot(std::string_view name) const {
  return lookup_.assigned(scopes_.current(), name).value_or(core::Slot{});
}

void Targets::check_update(const ast::Name& root) {
  std::string_view name = names_.intern(root.name);
  FunctionScope& scope = scopes_.current();
  if (scope.is_module()) {
    if (!lookup_.assigned(scope, name)) unknown_.report(scope, name, root.span);
    return;
  }
  auto local = scope.locals.find(name.data());
  if (local == scope.locals.end() || local->second.bindings > 0) return;
  bool exists = lookup_.find(*scope.parent, name).kind != Found::Kind::nothing;
  if (exists)
    problems_.report(message("update_of_outer"), root.span, {name, name});
  else
    unknown_.report(scope, name, root.span);
}

core::Target* Targets::target(const ast::Expr* expr) {
  if (expr->kind == ast::ExprKind::name)
    note_target(scopes_.current(), names_.intern(static_cast<const ast::Name*>(expr)->name));
  if (expr->kind != ast::ExprKind::tuple) return path(expr);
  auto* out = nodes_.make<core::Target>();
  out->kind = core::Target::Kind::tuple;
  out->span = expr->span;
  for (const ast::Expr* item : static_cast<const ast::Tuple*>(expr)->items) {
    if (item->kind == ast::ExprKind::spread) {
      out->rest = static_cast<int>(out->parts.size());
      item = static_cast<const ast::Spread*>(item)->value;
    }
    if (item->kind != ast::ExprKind::name && item->kind != ast::ExprKind::tuple) check_update(*root_of(item));
    out->parts.push_back(target(item));
  }
  return out;
}

core::Target* Targets::path(const ast::Expr* expr) {
  std::vector<const ast::Expr*> steps;
  const ast::Expr* root = expr;
  while (root->kind != ast::ExprKind::name) {
    steps.push_back(root);
    root = root->kind == ast::ExprKind::index ? static_cast<const ast::Index*>(root)->object
                                              : static_cast<const ast::Field*>(root)->object;
  }
  auto* out = nodes_.make<core::Target>();
  out->span = expr->span;
  out->name = names_.intern(static_cast<const ast::Name*>(root)->name);
  out->slot = slot(out->name);
  for (size_t i = steps.size(); i-- > 0;) out->steps.push_back(step(*steps[i]));
  return out;
}

core::PathStep Targets::step(const ast::Expr& expr) {
  core::PathStep out;
  out.span = expr.span;
  out.is_field = expr.kind == ast::ExprKind::field;
  if (out.is_field) {
    out.field = names_.intern(static_cast<const ast::Field&>(expr).name);
    return out;
  }
  for (const ast::IndexItem& item : static_cast<const ast::Index&>(expr).items) {
    out.items.push_back(indices_.item(item));
  }
  return out;
}

}  // namespace covec::resolve
