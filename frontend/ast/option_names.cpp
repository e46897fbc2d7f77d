#include "frontend/ast/option_names.hpp"

namespace covec::ast {

namespace {

bool is_name(const Expr* expr, std::string_view name) {
  return expr->kind == ExprKind::name && static_cast<const Name*>(expr)->name == name;
}

// The second argument of check_names(options, …); nullptr: the value is another one.
const Expr* checked_names(const Expr* value, std::string_view options) {
  if (value == nullptr || value->kind != ExprKind::call) return nullptr;
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

std::vector<std::string_view> names_in(const Expr* expr, const Block& module, unsigned names);

template <class Items>
std::vector<std::string_view> texts_in(const Items& items) {
  std::vector<std::string_view> texts;
  for (const Expr* item : items) {
    if (item->kind == ExprKind::text) texts.push_back(static_cast<const Text*>(item)->value);
  }
  return texts;
}

// list("a", "b") and keys({a: none})
std::vector<std::string_view> names_in(const Call& call, const Block& module, unsigned names) {
  std::vector<const Expr*> values;
  for (const Argument& each : call.arguments) values.push_back(each.value);
  if (is_name(call.callee, "list")) return texts_in(values);
  return is_name(call.callee, "keys") && values.size() == 1 ? names_in(values[0], module, names)
                                                            : std::vector<std::string_view>();
}

// `names`: how many names of the module may stand for what they are given, one in the value of the other.
std::vector<std::string_view> names_in(const Expr* expr, const Block& module, unsigned names) {
  if (expr == nullptr) return {};
  switch (expr->kind) {
    case ExprKind::name:
      return names == 0 ? std::vector<std::string_view>()
                        : names_in(value_in(module, static_cast<const Name*>(expr)->name), module, names - 1);
    case ExprKind::tuple: return texts_in(static_cast<const Tuple*>(expr)->items);
    case ExprKind::tensor: return texts_in(static_cast<const Tensor*>(expr)->items);
    case ExprKind::call: return names_in(*static_cast<const Call*>(expr), module, names);
    case ExprKind::record: {
      std::vector<std::string_view> fields;
      for (const RecordField& field : static_cast<const Record*>(expr)->fields) {
        if (!field.name.empty()) fields.push_back(field.name);
      }
      return fields;
    }
    default: return {};
  }
}

}  // namespace

std::vector<std::string_view> option_names(const Function& function, const Block& module) {
  const List<Parameter>& parameters = function.parameters;
  if (parameters.empty() || parameters[parameters.size() - 1].kind != ParameterKind::options) return {};
  const std::string_view options = parameters[parameters.size() - 1].name;
  const Expr* names = checked_names(function.expression, options);
  for (const Stmt* stmt : function.body) {
    if (names == nullptr && stmt->kind == StmtKind::expression)
      names = checked_names(static_cast<const ExpressionStmt*>(stmt)->value, options);
  }
  return names == nullptr ? std::vector<std::string_view>() : names_in(names, module, 2);  // names = keys(record)
}

}  // namespace covec::ast
