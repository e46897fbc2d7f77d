// See hidden_builtins.hpp.
#include "interpreter/eval/report/hidden_builtins.hpp"

#include <algorithm>

namespace covec {

namespace {

using core::StmtKind;

bool same(const core::Slot& a, const core::Slot& b) { return a.global == b.global && a.index == b.index; }

Span binding_in(const core::Target& target, const core::Slot& slot) {
  if (target.kind == core::Target::Kind::path) {
    return target.steps.empty() && same(target.slot, slot) ? target.span : Span();
  }
  for (const core::Target* part : target.parts) {
    const Span found = binding_in(*part, slot);
    if (found.known()) return found;
  }
  return {};
}

Span binding_in(const core::Block& block, const core::Slot& slot);

Span binding_in(const core::Stmt& stmt, const core::Slot& slot) {
  switch (stmt.kind) {
    case StmtKind::assign: {
      const auto& s = static_cast<const core::Assign&>(stmt);
      if (!same(s.slot, slot)) return {};
      return {s.span.file, s.span.begin, std::min(s.span.end, s.span.begin + static_cast<uint32_t>(s.name.size()))};
    }
    case StmtKind::import: {
      const auto& s = static_cast<const core::Import&>(stmt);
      return same(s.slot, slot) ? s.span : Span();
    }
    case StmtKind::destructure: return binding_in(*static_cast<const core::Destructure&>(stmt).target, slot);
    case StmtKind::if_: {
      const auto& s = static_cast<const core::If&>(stmt);
      const Span found = binding_in(s.then, slot);
      return found.known() ? found : binding_in(s.otherwise, slot);
    }
    case StmtKind::while_: return binding_in(static_cast<const core::While&>(stmt).body, slot);
    case StmtKind::for_: {
      const auto& s = static_cast<const core::For&>(stmt);
      const Span found = binding_in(*s.target, slot);
      return found.known() ? found : binding_in(s.body, slot);
    }
    default: return {};
  }
}

Span binding_in(const core::Block& block, const core::Slot& slot) {
  for (const core::Stmt* stmt : block) {
    const Span found = binding_in(*stmt, slot);
    if (found.known()) return found;
  }
  return {};
}

}  // namespace

Span place_of_binding(const core::Expr& expr, const Frame& f) {
  if (expr.kind == core::ExprKind::global) {
    const core::Slot slot{true, static_cast<const core::Global&>(expr).slot};
    return f.source_unit != nullptr ? binding_in(f.source_unit->unit->body, slot) : Span();
  }
  if (expr.kind != core::ExprKind::local || f.closure == nullptr) return {};
  const core::Function& function = f.closure->function;
  const core::Slot slot{false, static_cast<const core::Local&>(expr).slot};
  if (slot.index < function.parameters.size()) return function.parameters[slot.index].span;
  return binding_in(function.body, slot);
}

}  // namespace covec
