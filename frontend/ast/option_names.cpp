#include "frontend/ast/option_names.hpp"

namespace covec::ast {

namespace {

bool is_name(const Expr* expr, std::string_view name) {
  return expr->kind == ExprKind::name && static_cast<const Name*>(expr)->name == name;
}

// The second argument of check_names(options, …); nullptr: the statement is another one.
const Expr* checked_names(const Stmt* stmt, std::string_view options) {
  if (stmt->kind != StmtKind::expression) return nullptr;
  const Expr* const value = static_cast<const ExpressionStmt*>(stmt)->value;
  if (value->kind != ExprKind::call) return nullptr;
  const auto& call = static_cast<const Call&>(*value);
  const bool checks = is_name(call.callee, "check_names") && call.arguments.size() == 2;
  return checks && is_name(call.arguments[0].value, options) ? call.arguments[1].value : nullptr;
}

const Expr* value_in(const Block& module, std::string_view name) {
  const Expr* value = nullptr;
  for (const Stmt* stmt : module) {
    if (stmt->kind != StmtKind::assign) continue;
    const auto& assign = static_cast<const Assign&>(*stmt);
    if (is_name(assign.target, name)) value = assign.value;
  }
  return value;
}

std::vector<std::string_view> texts_of(const Expr* expr) {
  std::vector<std::string_view> texts;
  if (expr == nullptr || expr->kind != ExprKind::tuple) return texts;
  for (const Expr* item : static_cast<const Tuple*>(expr)->items) {
    if (item->kind == ExprKind::text) texts.push_back(static_cast<const Text*>(item)->value);
  }
  return texts;
}

}  // namespace

std::vector<std::string_view> option_names(const Function& function, const Block& module) {
  const List<Parameter>& parameters = function.parameters;
  if (parameters.empty() || parameters[parameters.size() - 1].kind != ParameterKind::options) return {};
  for (const Stmt* stmt : function.body) {
    const Expr* names = checked_names(stmt, parameters[parameters.size() - 1].name);
    if (names == nullptr) continue;
    return texts_of(names->kind == ExprKind::name ? value_in(module, static_cast<const Name*>(names)->name) : names);
  }
  return {};
}

}  // namespace covec::ast
