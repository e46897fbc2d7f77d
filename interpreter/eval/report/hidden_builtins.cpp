// See hidden_builtins.hpp.
#include "interpreter/eval/report/hidden_builtins.hpp"

#include <algorithm>

namespace covec {

namespace {

using core::StmtKind;

bool same(const core::Slot& a, const core::Slot& b) { return a.global == b.global && a.index == b.index; }

// By `fn f(x) …`; nullptr for a value that has been given a name.
const core::Function* function_defined(const core::Assign& s) {
  if (s.value->kind != core::ExprKind::make_closure) return nullptr;
  const core::Function* function = static_cast<const core::MakeClosure&>(*s.value).function;
  return function->name.empty() ? nullptr : function;
}

Binding binding_in(const core::Target& target, const core::Slot& slot) {
  if (target.kind == core::Target::Kind::path) {
    return target.steps.empty() && same(target.slot, slot) ? Binding{target.span} : Binding();
  }
  for (const core::Target* part : target.parts) {
    const Binding found = binding_in(*part, slot);
    if (found.place.known()) return found;
  }
  return {};
}

Binding binding_in(const core::Block& block, const core::Slot& slot);

Binding binding_in(const core::Stmt& stmt, const core::Slot& slot) {
  switch (stmt.kind) {
    case StmtKind::assign: {
      const auto& s = static_cast<const core::Assign&>(stmt);
      if (!same(s.slot, slot)) return {};
      if (const core::Function* function = function_defined(s)) return {function->name_span, true};
      const auto length = static_cast<uint32_t>(s.name.size());
      return {{s.span.file, s.span.begin, std::min(s.span.end, s.span.begin + length)}};
    }
    case StmtKind::import: {
      const auto& s = static_cast<const core::Import&>(stmt);
      return same(s.slot, slot) ? Binding{s.span} : Binding();
    }
    case StmtKind::destructure: return binding_in(*static_cast<const core::Destructure&>(stmt).target, slot);
    case StmtKind::if_: {
      const auto& s = static_cast<const core::If&>(stmt);
      const Binding found = binding_in(s.then, slot);
      return found.place.known() ? found : binding_in(s.otherwise, slot);
    }
    case StmtKind::while_: return binding_in(static_cast<const core::While&>(stmt).body, slot);
    case StmtKind::for_: {
      const auto& s = static_cast<const core::For&>(stmt);
      const Binding found = binding_in(*s.target, slot);
      return found.place.known() ? found : binding_in(s.body, slot);
    }
    default: return {};
  }
}

Binding binding_in(const core::Block& block, const core::Slot& slot) {
  for (const core::Stmt* stmt : block) {
    const Binding found = binding_in(*stmt, slot);
    if (found.place.known()) return found;
  }
  return {};
}

}  // namespace

Binding binding_of(const core::Expr& expr, const Frame& f) {
  if (expr.kind == core::ExprKind::global) {
    const core::Slot slot{true, static_cast<const core::Global&>(expr).slot};
    return f.source_unit != nullptr ? binding_in(f.source_unit->unit->body, slot) : Binding();
  }
  if (expr.kind != core::ExprKind::local || f.closure == nullptr) return {};
  const core::Function& function = f.closure->function;
  const core::Slot slot{false, static_cast<const core::Local&>(expr).slot};
  if (slot.index < function.parameters.size()) return {function.parameters[slot.index].span};
  return binding_in(function.body, slot);
}

}  // namespace covec
