// Walks each body twice: first for what binds its slots, then for what is read. A closure takes what it captures from
// the body that makes it. Start reading at import_uses, at the end.
#include "frontend/core/import_uses.hpp"

#include <algorithm>
#include <unordered_map>

#include "frontend/core/walk.hpp"

namespace covec {

namespace {

using core::ExprKind;
using core::StmtKind;

// The import that alone binds a slot; nullptr: something else does, too, or alone.
using Imported = std::unordered_map<uint32_t, const core::Import*>;

// The parts of a statement; a chain of else if, which may be as long as a text, is taken in a loop.
template <class VisitExpr, class VisitTarget, class VisitBlock>
void each_part(const core::Stmt& stmt, VisitExpr expr, VisitTarget target, VisitBlock block) {
  if (stmt.kind != StmtKind::if_) return resolve::each_part(stmt, expr, target, block);
  for (const auto* s = static_cast<const core::If*>(&stmt); s != nullptr;) {
    if (s->condition != nullptr) expr(s->condition);
    block(s->then);
    const core::If* const next = resolve::else_if(s);
    if (next == nullptr) block(s->otherwise);
    s = next;
  }
}

class Bindings {
 public:
  Bindings(bool of_module, ImportUses& found) : of_module_(of_module), found_(found) {}

  void note(const core::Block& block) {
    for (const core::Stmt* stmt : block) note(*stmt);
  }
  void bind(uint32_t slot, const core::Import* import = nullptr) {
    const auto [known, is_new] = imported_.try_emplace(slot, import);
    if (!is_new) known->second = nullptr;
  }
  Imported take() { return std::move(imported_); }

 private:
  void note(const core::Stmt& stmt) {
    if (stmt.kind == StmtKind::import) {
      const auto& import = static_cast<const core::Import&>(stmt);
      found_.imports.push_back(&import);
      bind(import.slot, &import);
    }
    if (stmt.kind == StmtKind::assign) bind(static_cast<const core::Assign&>(stmt).slot);
    each_part(
        stmt, [](core::Expr*) {}, [&](const core::Target& target) { bind(target); },
        [&](const core::Block& block) { note(block); });
  }
  void bind(const core::Target& target) {
    for (const core::Target* part : target.parts) bind(*part);
    if (target.kind == core::Target::Kind::path && target.steps.empty()) bind(target.slot);
  }
  void bind(core::Slot slot, const core::Import* import = nullptr) {
    if (slot.global == of_module_) bind(slot.index, import);
  }

  const bool of_module_;
  ImportUses& found_;
  Imported imported_;
};

class Walk {
 public:
  explicit Walk(ImportUses& found) : found_(found) {}

  void unit(const core::Unit& unit) {
    Bindings bindings(true, found_);
    bindings.note(unit.body);
    globals_ = bindings.take();
    Body body{{}, {}};
    visit(unit.body, body);
  }

 private:
  struct Body {
    Imported locals;
    std::vector<const core::Import*> captures;
  };

  void visit(const core::Block& block, const Body& body) {
    for (const core::Stmt* stmt : block) {
      each_part(
          *stmt, [&](core::Expr* e) { visit(e, body); }, [&](const core::Target& target) { visit(target, body); },
          [&](const core::Block& inner) { visit(inner, body); });
    }
  }
  void visit(const core::Target& target, const Body& body) {
    for (const core::Target* part : target.parts) visit(*part, body);
    for (const core::PathStep& step : target.steps) {
      resolve::each_index_part(step.items, [&](core::Expr* e) { visit(e, body); });
    }
  }
  void visit(core::Expr* root, const Body& body) {
    resolve::each_below(root, [&](const core::Expr* e) {
      if (e->kind == ExprKind::field) {
        const auto& field = *static_cast<const core::Field*>(e);
        const auto size = static_cast<uint32_t>(field.name.size());
        member(field.object, field.name, {field.span.file, field.span.end - size, field.span.end}, body);
      } else if (e->kind == ExprKind::method_call) {
        const auto& call = *static_cast<const core::MethodCall*>(e);
        member(call.object, call.name, call.name_span, body);
      } else if (e->kind == ExprKind::make_closure) {
        const auto& closure = *static_cast<const core::MakeClosure*>(e);
        if (closure.definition) function(*closure.function, captured(closure, body));
      }
    });
  }

  void function(const core::Function& function, std::vector<const core::Import*> captures) {
    Bindings bindings(false, found_);
    for (uint32_t i = 0; i < function.parameters.size(); ++i) bindings.bind(i);
    bindings.note(function.body);
    const Body body{bindings.take(), std::move(captures)};
    for (const core::Parameter& parameter : function.parameters) {
      if (parameter.fallback != nullptr) visit(parameter.fallback, body);
    }
    visit(function.body, body);
    if (function.expression != nullptr) visit(function.expression, body);
  }

  static std::vector<const core::Import*> captured(const core::MakeClosure& closure, const Body& body) {
    std::vector<const core::Import*> found;
    for (const core::CaptureSource& source : closure.captures) {
      const bool local = source.from == core::CaptureSource::From::local;
      found.push_back(local ? local_import(source.index, body) : captured_import(source.index, body));
    }
    return found;
  }
  static const core::Import* local_import(uint32_t slot, const Body& body) {
    const auto found = body.locals.find(slot);
    return found == body.locals.end() ? nullptr : found->second;
  }
  static const core::Import* captured_import(uint32_t index, const Body& body) {
    return index < body.captures.size() ? body.captures[index] : nullptr;
  }

  void member(const core::Expr* object, std::string_view name, Span span, const Body& body) {
    const core::Import* import = nullptr;
    if (object->kind == ExprKind::local) import = local_import(static_cast<const core::Local*>(object)->slot, body);
    if (object->kind == ExprKind::capture)
      import = captured_import(static_cast<const core::Capture*>(object)->index, body);
    if (object->kind == ExprKind::global) {
      const auto found = globals_.find(static_cast<const core::Global*>(object)->slot);
      if (found != globals_.end()) import = found->second;
    }
    if (import != nullptr) found_.members.push_back({import, name, span});
  }

  ImportUses& found_;
  Imported globals_;
};

}  // namespace

ImportUses import_uses(const core::Unit& unit) {
  ImportUses found;
  Walk(found).unit(unit);
  std::ranges::stable_sort(found.members, {}, [](const MemberUse& use) { return use.span.begin; });
  return found;
}

}  // namespace covec
