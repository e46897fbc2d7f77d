// Calls. A builtin's arguments are bound to its parameters here, once, so that its errors have a place and the
// engines a fixed layout; a method call x.f(…) is bound likewise, in case x turns out to be no record with a field f.
#include <algorithm>

#include "frontend/resolve/resolver.hpp"

namespace covec::resolve {

using messages::message;

namespace {

constexpr std::string_view kReductions[] = {"sum", "prod", "min", "max", "any", "all", "mean", "list"};

bool reduces(const Builtin& builtin) {
  return std::find(std::begin(kReductions), std::end(kReductions), builtin.name) != std::end(kReductions);
}

std::string counted(size_t n) { return std::to_string(n) + (n == 1 ? " argument" : " arguments"); }

Span place_of(const ast::Argument& a) { return a.name.empty() ? a.value->span : a.name_span; }

}  // namespace

const ast::Comprehension* Resolver::single_generator(const ast::Call& call) const {
  if (call.arguments.size() != 1 || call.arguments[0].value->kind != ast::ExprKind::comprehension) return nullptr;
  const auto* c = static_cast<const ast::Comprehension*>(call.arguments[0].value);
  return c->argument ? c : nullptr;
}

core::Expr* Resolver::call_of_name(const ast::Call& call) {
  const auto& callee = *static_cast<const ast::Name*>(call.callee);
  std::string_view name = intern(callee.name);
  Found what = find(*scope_, name);
  if (what.kind == Found::Kind::builtin) return builtin_call(*what.builtin, call);
  return plain_call(call, found(what, name, callee.span));
}

core::Expr* Resolver::plain_call(const ast::Call& call, core::Expr* callee) {
  auto* out = make<core::Call>(call.span);
  out->callee = callee;
  out->args = arguments(call);
  return out;
}

std::vector<core::Argument> Resolver::arguments(const ast::Call& call) {
  std::vector<core::Argument> out;
  out.reserve(call.arguments.size());
  for (const ast::Argument& a : call.arguments) {
    bool generator =
        a.value->kind == ast::ExprKind::comprehension && static_cast<ast::Comprehension*>(a.value)->argument;
    if (generator) report(message("generator_argument"), a.value->span, {text(call.callee->span), text(a.value->span)});
    core::Argument argument;
    if (!a.name.empty()) {
      argument.name = intern(a.name);
    }
    argument.value = expr(a.value);
    out.push_back(argument);
  }
  return out;
}

core::Expr* Resolver::builtin_call(const Builtin& builtin, const ast::Call& call) {
  const ast::Comprehension* generator = single_generator(call);
  if (generator != nullptr && reduces(builtin)) return comprehension(*generator, &builtin, call.span);
  auto* out = make<core::Op>(call.span);
  Diagnostic problem;
  if (!bind(builtin, arguments(call), call, false, *out, problem)) problems_.push_back(std::move(problem));
  return out;
}

core::Expr* Resolver::method_call(const ast::Call& call, core::Expr* object) {
  const auto& field = *static_cast<const ast::Field*>(call.callee);
  auto* out = make<core::MethodCall>(call.span);
  out->object = object;
  out->name = intern(field.name);
  out->name_span = field.name_span;
  out->args = arguments(call);
  const Builtin* builtin = builtins_.find(field.name);
  if (builtin == nullptr || !builtin->method) return out;
  out->builtin = builtin;
  auto* op = make<core::Op>(call.span);
  op->method = true;
  Diagnostic problem;
  if (bind(*builtin, out->args, call, true, *op, problem)) {
    out->as_builtin = op;
  } else {
    out->bind_error = problem.message + (problem.hint.empty() ? "" : "; " + problem.hint);
  }
  return out;
}

// Lays the arguments out by parameters. As a method the first parameter is taken by the object, which the engine puts
// there.
bool Resolver::bind(const Builtin& builtin, const std::vector<core::Argument>& arguments, const ast::Call& call,
                    bool method, core::Op& op, Diagnostic& problem) {
  op.builtin = &builtin;
  op.entry = builtin.entry;
  op.args.assign(builtin.parameters.size(), nullptr);
  size_t next = method ? 1 : 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].name.empty()) {
      if (!bind_keyword(builtin, arguments[i], place_of(call.arguments[i]), op, problem)) return false;
    } else if (builtin.variadic && next >= builtin.variadic_at) {
      op.rest.push_back(arguments[i].value);
    } else if (next < op.args.size()) {
      op.args[next++] = arguments[i].value;
    } else {
      size_t given = arguments.size() + (method ? 1 : 0);
      problem = messages::make(message("too_many_arguments"), place_of(call.arguments[i]),
                               {builtin.name, counted(op.args.size()), std::to_string(given)});
      return false;
    }
  }
  for (size_t i = method ? 1 : 0; i < op.args.size(); ++i) {
    bool given = op.args[i] != nullptr || (i == builtin.variadic_at && builtin.variadic && !op.rest.empty());
    if (given || !builtin.parameters[i].required) continue;
    problem = messages::make(message("missing_argument"), call.span, {builtin.name, builtin.parameters[i].name});
    return false;
  }
  return true;
}

bool Resolver::bind_keyword(const Builtin& builtin, const core::Argument& argument, Span place, core::Op& op,
                            Diagnostic& problem) {
  std::vector<std::string_view> known;
  for (size_t i = 0; i < builtin.parameters.size(); ++i) {
    known.push_back(builtin.parameters[i].name);
    if (builtin.parameters[i].name != argument.name) continue;
    bool taken = op.args[i] != nullptr || (i == 0 && op.method) || (i == builtin.variadic_at && !op.rest.empty());
    if (taken) problem = messages::make(message("given_twice"), place, {argument.name});
    op.args[i] = argument.value;
    return !taken;
  }
  problem = messages::make(message("unknown_parameter"), place, {builtin.name, argument.name});
  std::string_view near = nearest_name(argument.name, known);
  if (!near.empty()) {
    problem.hint = "did you mean `" + std::string(near) + "`?";
  } else {
    for (const std::string_view name : known) {
      problem.hint += (problem.hint.empty() ? "it has `" : ", `") + std::string(name) + "`";
    }
  }
  return false;
}

}  // namespace covec::resolve
