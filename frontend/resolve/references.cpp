// See references.hpp.
#include "frontend/resolve/references.hpp"

#include <algorithm>

namespace covec::resolve {

core::Expr* References::to_name(std::string_view written, Span span) {
  std::string_view name = names_.intern(written);
  names_read_.push_back(name);
  return to(lookup_.find(scopes_.current(), name), name, span);
}

core::Expr* References::to(const Found& what, std::string_view name, Span span) {
  switch (what.kind) {
    case Found::Kind::target: return to_temporary(what.index, span);
    case Found::Kind::local: {
      auto* e = nodes_.make<core::Local>(span);
      e->slot = what.index;
      return e;
    }
    case Found::Kind::capture: {
      auto* e = nodes_.make<core::Capture>(span);
      e->index = what.index;
      return e;
    }
    case Found::Kind::global: return to_global(what.index, span);
    case Found::Kind::builtin: return to_builtin(*what.builtin, span);
    case Found::Kind::function: return to_function(*what.function, span);
    case Found::Kind::nothing: break;
  }
  unknown_.report(scopes_.current(), name, span);
  return nodes_.constant({}, span);
}

core::Expr* References::to_builtin(const Builtin& builtin, Span span) {
  auto* e = nodes_.make<core::BuiltinRef>(span);
  e->builtin = &builtin;
  return e;
}

core::Local* References::to_temporary(uint32_t slot, Span span) {
  FunctionScope& scope = scopes_.current();
  auto* out = nodes_.make<core::Local>(span);
  out->slot = slot;
  out->may_be_unbound = slot >= scope.unsure_from;
  scope.mentions.push_back(slot);
  return out;
}

void References::note_rule(const core::Expr& function) {
  if (function.kind != core::ExprKind::global || scopes_.current().is_module()) return;
  const uint32_t slot = static_cast<const core::Global&>(function).slot;
  if (std::ranges::find(module_.given_rules, slot) == module_.given_rules.end()) module_.given_rules.push_back(slot);
}

core::Expr* References::to_global(uint32_t slot, Span span) {
  auto* e = nodes_.make<core::Global>(span);
  e->slot = slot;
  if (!scopes_.current().is_module()) module_.read_by_functions[slot] = true;
  return e;
}

core::Expr* References::to_function(FunctionScope& target, Span span) {
  auto* e = nodes_.make<core::MakeClosure>(span);
  e->function = target.function;
  e->definition = false;
  e->self = &target == &scopes_.current();
  if (!e->self) captures_.note_sibling(scopes_.current(), target, *e);
  return e;
}

}  // namespace covec::resolve
