// See functions.hpp.
#include "frontend/resolve/functions.hpp"

#include <set>

#include "frontend/ast/option_names.hpp"
#include "frontend/resolve/expressions.hpp"
#include "frontend/resolve/pops.hpp"
#include "frontend/resolve/statements.hpp"

namespace covec::resolve {

FunctionScope& Functions::new_scope(const ast::Function& function) {
  auto* out = nodes_.make<core::Function>();
  out->name = names_.intern(function.name);
  return scopes_.add(*out);
}

namespace {

// The names that the block's functions are rules of. A rule belongs to one function value.
std::set<std::string_view> names_with_rules(const ast::Block& body) {
  std::set<std::string_view> names;
  for (const ast::Stmt* stmt : body) {
    if (stmt->kind != ast::StmtKind::function) continue;
    for (const ast::Decorator& decorator : static_cast<const ast::FunctionStmt*>(stmt)->function->decorators) {
      for (const ast::Argument& argument : decorator.arguments) {
        if (decorator.name == "derivative" && argument.value->kind == ast::ExprKind::name)
          names.insert(static_cast<const ast::Name*>(argument.value)->name);
      }
    }
  }
  return names;
}

}  // namespace

// Those whose name is bound once, so that each use may make the function anew; not those with rules, which are
// captured. In a module they are globals, looked up at each call.
Siblings Functions::siblings(const ast::Block& body) {
  Siblings out;
  const FunctionScope& scope = scopes_.current();
  if (scope.is_module()) return out;
  const std::set<std::string_view> with_rules = names_with_rules(body);
  for (const ast::Stmt* stmt : body) {
    if (stmt->kind != ast::StmtKind::function) continue;
    const ast::Function& function = *static_cast<const ast::FunctionStmt*>(stmt)->function;
    std::string_view name = names_.intern(function.name);
    const LocalName& local = scope.locals.at(name.data());
    if (local.bindings == 1 && local.updates == 0 && !with_rules.contains(name))
      out[name.data()] = &new_scope(function);
  }
  return out;
}

core::Stmt* Functions::statement(const ast::FunctionStmt& stmt, const Siblings& siblings) {
  const ast::Function& function = *stmt.function;
  auto* out = nodes_.make<core::Assign>(stmt.span);
  out->name = names_.intern(function.name);
  out->slot = lookup_.assigned(scopes_.current(), out->name).value_or(core::Slot{});
  auto sibling = siblings.find(out->name.data());
  FunctionScope& scope = sibling != siblings.end() ? *sibling->second : new_scope(function);
  if (!scopes_.current().is_module()) scope.siblings = &siblings;
  out->value = define(function, scope);
  return out;
}

core::MakeClosure* Functions::expression(const ast::FunctionExpr& expr) {
  return define(*expr.function, new_scope(*expr.function));
}

core::MakeClosure* Functions::define(const ast::Function& function, FunctionScope& scope) {
  auto* maker = nodes_.make<core::MakeClosure>(function.span);
  maker->function = scope.function;
  scope.makers.push_back(maker);
  scope.function->doc = function.doc;
  scope.function->span = function.span;
  scope.function->name_span = function.name_span;
  for (const std::string_view name : ast::option_names(function, *module_))
    scope.function->option_names.push_back(names_.intern(name));
  {
    const Pops::Uncertain uncertain(pops_);
    decorators_.read(function, *scope.function);
  }
  body(function, scope);
  return maker;
}

void Functions::body(const ast::Function& function, FunctionScope& scope) {
  const Pops::Uncertain uncertain(pops_);
  Scopes::Inside inside(scopes_, scope);
  signatures_.read(function, scope);
  if (function.expression != nullptr)
    expression_body(function.expression, *scope.function);
  else
    scope.function->body = statements_.block(function.body);
}

// An expression that takes items, as in fn f(xs) = xs.pop() + 1, becomes a block that returns it.
void Functions::expression_body(const ast::Expr* expression, core::Function& out) {
  const Pops::Statement here(pops_);
  core::Expr* value = expressions_.read(expression);
  if (!here.has_pops()) {
    out.expression = value;
    return;
  }
  auto* result = nodes_.make<core::Return>(expression->span);
  result->value = value;
  here.put(result, out.body);
}

}  // namespace covec::resolve
