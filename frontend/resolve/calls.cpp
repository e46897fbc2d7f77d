// See calls.hpp.
#include "frontend/resolve/calls.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "frontend/resolve/binding.hpp"
#include "frontend/resolve/comprehensions.hpp"
#include "frontend/resolve/expressions.hpp"

namespace covec::resolve {

using messages::message;

namespace {

constexpr std::string_view kReductions[] = {"sum", "prod", "min", "max", "any", "all", "mean", "list"};

bool reduces(const Builtin& builtin) {
  return std::find(std::begin(kReductions), std::end(kReductions), builtin.name) != std::end(kReductions);
}

// The comprehension that is written without brackets as an argument: f(x for x in xs).
const ast::Comprehension* generator_of(const ast::Argument& argument) {
  if (argument.value->kind != ast::ExprKind::comprehension) return nullptr;
  const auto* c = static_cast<const ast::Comprehension*>(argument.value);
  return c->argument ? c : nullptr;
}

}  // namespace

core::Expr* Calls::of_name(const ast::Call& call) {
  const auto& callee = *static_cast<const ast::Name*>(call.callee);
  std::string_view name = names_.intern(callee.name);
  Found what = lookup_.find(scopes_.current(), name);
  if (what.kind == Found::Kind::builtin) return of_builtin(*what.builtin, call);
  return of_value(call, references_.to(what, name, callee.span));
}

core::Expr* Calls::of_value(const ast::Call& call, core::Expr* callee) {
  auto* out = nodes_.make<core::Call>(call.span);
  out->callee = callee;
  out->args = arguments(call);
  return out;
}

std::vector<core::Argument> Calls::arguments(const ast::Call& call) {
  std::vector<core::Argument> out;
  out.reserve(call.arguments.size());
  for (const ast::Argument& a : call.arguments) {
    if (generator_of(a) != nullptr) {
      problems_.report(message("generator_argument"), a.value->span,
                       {problems_.text(call.callee->span), problems_.text(a.value->span)});
    }
    core::Argument argument;
    if (!a.name.empty()) argument.name = names_.intern(a.name);
    argument.value = expressions_.read(a.value);
    out.push_back(argument);
  }
  return out;
}

core::Expr* Calls::of_builtin(const Builtin& builtin, const ast::Call& call) {
  const ast::Comprehension* generator = call.arguments.size() == 1 ? generator_of(call.arguments[0]) : nullptr;
  if (generator != nullptr && reduces(builtin)) return comprehensions_.read(*generator, &builtin, call.span);
  auto* out = nodes_.make<core::Op>(call.span);
  Diagnostic problem;
  if (!bind_arguments(builtin, arguments(call), call, *out, problem)) problems_.add(std::move(problem));
  return out;
}

core::Expr* Calls::of_method(const ast::Call& call, core::Expr* object) {
  const auto& field = *static_cast<const ast::Field*>(call.callee);
  auto* out = nodes_.make<core::MethodCall>(call.span);
  out->object = object;
  out->name = names_.intern(field.name);
  out->name_span = field.name_span;
  out->args = arguments(call);
  const Builtin* builtin = builtins_.find(field.name);
  if (builtin == nullptr || !builtin->method) return out;
  out->builtin = builtin;
  auto* op = nodes_.make<core::Op>(call.span);
  op->method = true;
  Diagnostic problem;
  if (bind_arguments(*builtin, out->args, call, *op, problem)) {
    out->as_builtin = op;
  } else {
    out->bind_error = problem.message + (problem.hint.empty() ? "" : "; " + problem.hint);
  }
  return out;
}

}  // namespace covec::resolve
