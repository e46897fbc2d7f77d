// Finds the names that a function assigns: they are its locals throughout. See scope.hpp.
#include "frontend/scopes/scope.hpp"

namespace covec::resolve {

const ast::Name* root_of(const ast::Expr* target) {
  for (;;) {
    switch (target->kind) {
      case ast::ExprKind::name: return static_cast<const ast::Name*>(target);
      case ast::ExprKind::index: target = static_cast<const ast::Index*>(target)->object; break;
      case ast::ExprKind::field: target = static_cast<const ast::Field*>(target)->object; break;
      default: return nullptr;
    }
  }
}

MutatingCall mutating_call(const ast::Expr* value) {
  if (value->kind != ast::ExprKind::call) return {};
  const auto* call = static_cast<const ast::Call*>(value);
  if (call->callee->kind != ast::ExprKind::field || call->arguments.size() > 1) return {};
  const auto* field = static_cast<const ast::Field*>(call->callee);
  const bool pop = field->name == "pop";
  if (!pop && field->name != "push" && field->name != "remove") return {};
  if (call->arguments.empty() && !pop) return {};
  for (const ast::Argument& argument : call->arguments) {
    const bool generator = argument.value->kind == ast::ExprKind::comprehension &&
                           static_cast<const ast::Comprehension*>(argument.value)->argument;
    if (!argument.name.empty() || generator || argument.value->kind == ast::ExprKind::spread) return {};
  }
  if (root_of(field->object) == nullptr) return {};
  return {field->object, call, field->name};
}

namespace {

void collect_target(const ast::Expr* target, std::vector<Assigned>& out) {
  if (target->kind == ast::ExprKind::tuple) {
    for (const ast::Expr* item : static_cast<const ast::Tuple*>(target)->items) collect_target(item, out);
    return;
  }
  if (target->kind == ast::ExprKind::spread) return collect_target(static_cast<const ast::Spread*>(target)->value, out);
  out.push_back({root_of(target)->name, target->kind != ast::ExprKind::name});
}

void collect(const ast::Stmt* stmt, std::vector<Assigned>& out) {
  switch (stmt->kind) {
    case ast::StmtKind::assign: return collect_target(static_cast<const ast::Assign*>(stmt)->target, out);
    case ast::StmtKind::update:
      out.push_back({root_of(static_cast<const ast::Update*>(stmt)->target)->name, true});
      return;
    case ast::StmtKind::function:
      out.push_back({static_cast<const ast::FunctionStmt*>(stmt)->function->name, false});
      return;
    case ast::StmtKind::import: out.push_back({static_cast<const ast::Import*>(stmt)->name, false}); return;
    case ast::StmtKind::expression: {
      const MutatingCall call = mutating_call(static_cast<const ast::ExpressionStmt*>(stmt)->value);
      if (call.target != nullptr && call.is_push()) out.push_back({root_of(call.target)->name, true});
      return;
    }
    case ast::StmtKind::if_: {
      const auto* s = static_cast<const ast::If*>(stmt);
      for (const ast::Branch& branch : s->branches) collect_assigned(branch.body, out);
      return collect_assigned(s->otherwise, out);
    }
    case ast::StmtKind::while_: return collect_assigned(static_cast<const ast::While*>(stmt)->body, out);
    case ast::StmtKind::for_: {
      const auto* s = static_cast<const ast::For*>(stmt);
      collect_target(s->target, out);
      return collect_assigned(s->body, out);
    }
    case ast::StmtKind::try_: {
      const auto* s = static_cast<const ast::Try*>(stmt);
      collect_assigned(s->body, out);
      if (s->name != nullptr) out.push_back({s->name->name, false});
      return collect_assigned(s->handler, out);
    }
    case ast::StmtKind::broken:
      for (std::string_view name : static_cast<const ast::Broken*>(stmt)->names) out.push_back({name, false, true});
      return;
    default: return;
  }
}

}  // namespace

void collect_assigned(const ast::Block& body, std::vector<Assigned>& out) {
  for (const ast::Stmt* stmt : body) collect(stmt, out);
}

}  // namespace covec::resolve
