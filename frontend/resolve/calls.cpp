// See calls.hpp.
#include "frontend/resolve/calls.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "frontend/core/binding.hpp"
#include "frontend/resolve/comprehensions.hpp"
#include "frontend/resolve/expressions.hpp"
#include "frontend/resolve/pops.hpp"

namespace covec::resolve {

using messages::message;

namespace {

constexpr std::string_view kReductions[] = {"sum", "prod", "min", "max", "any", "all", "mean", "list"};

bool reduces(const Builtin& builtin) {
  return std::find(std::begin(kReductions), std::end(kReductions), builtin.name) != std::end(kReductions);
}

bool collects(const Builtin& builtin) { return builtin.name == "map"; }

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

namespace {

// Whether the builtin wants tensors side by side there.
bool takes_tensors(const Builtin& builtin, const ast::Argument& argument, size_t position) {
  if (argument.name.empty()) return position < builtin.parameters.size() && builtin.parameters[position].tensors;
  for (const BuiltinParameter& parameter : builtin.parameters) {
    if (parameter.name == argument.name) return parameter.tensors;
  }
  return false;
}

core::Argument::Spread spread_of(const ast::Argument& argument) {
  if (argument.value->kind != ast::ExprKind::spread) return core::Argument::Spread::none;
  return static_cast<const ast::Spread*>(argument.value)->named ? core::Argument::Spread::fields
                                                                : core::Argument::Spread::items;
}

// `max(x, 0)` and `min(x, 0)`, which elsewhere compare element by element.
bool may_mean_bounds(const Builtin& builtin, const ast::Call& call) {
  if ((builtin.name != "max" && builtin.name != "min") || call.arguments.size() != 2) return false;
  const ast::Argument& second = call.arguments[1];
  if (!call.arguments[0].name.empty() || !second.name.empty() || second.value->kind != ast::ExprKind::number)
    return false;
  const auto& number = static_cast<const ast::Number&>(*second.value);
  return !number.is_float && !number.imaginary && number.integer == 0;
}

bool is_spread(const core::Argument& argument) { return argument.spread != core::Argument::Spread::none; }

}  // namespace

core::Expr* Calls::argument(const ast::Argument& argument, const Builtin* builtin, size_t position) {
  const ast::Expr* value = argument.value;
  if (value->kind == ast::ExprKind::spread) return expressions_.read(static_cast<const ast::Spread*>(value)->value);
  if (builtin != nullptr && value->kind == ast::ExprKind::tensor && takes_tensors(*builtin, argument, position))
    return expressions_.tuple(static_cast<const ast::Tensor*>(value)->items, value->span);
  return expressions_.read(value);
}

// Of a builtin's call the parameters from number `first` on.
std::vector<core::Argument> Calls::arguments(const ast::Call& call, const Builtin* builtin, size_t first) {
  std::vector<core::Argument> out;
  out.reserve(call.arguments.size());
  for (const ast::Argument& a : call.arguments) {
    if (generator_of(a) != nullptr) {
      problems_.report(message("generator_argument"), a.value->span,
                       {problems_.text(call.callee->span), problems_.text(a.value->span)});
    }
    core::Argument argument;
    if (!a.name.empty()) argument.name = names_.intern(a.name);
    argument.value = this->argument(a, builtin, first + out.size());
    argument.spread = spread_of(a);
    argument.name_span = a.name_span;
    out.push_back(argument);
  }
  return out;
}

// Of the list of what the comprehension gives: map((k, f(k)) for k in ks).
core::Expr* Calls::of_list(const Builtin& builtin, const ast::Comprehension& generator, Span span) {
  auto* out = nodes_.make<core::Op>(span);
  out->builtin = &builtin;
  out->entry = builtin.entry;
  out->args.assign(builtin.parameters.size(), nullptr);
  out->args[0] = comprehensions_.read(generator, builtins_.find("list"), generator.span);
  return out;
}

core::Expr* Calls::of_builtin(const Builtin& builtin, const ast::Call& call) {
  if (builtin.stops && !scopes_.current().is_module()) scopes_.current().function->stop = call.span;
  const ast::Comprehension* generator = call.arguments.size() == 1 ? generator_of(call.arguments[0]) : nullptr;
  if (generator != nullptr && reduces(builtin)) return comprehensions_.read(*generator, &builtin, call.span);
  if (generator != nullptr && collects(builtin)) return of_list(builtin, *generator, call.span);
  std::vector<core::Argument> arguments = this->arguments(call, &builtin);
  if (std::any_of(arguments.begin(), arguments.end(), is_spread)) {
    auto* out = nodes_.make<core::Call>(call.span);
    out->callee = references_.to_builtin(builtin, call.callee->span);
    out->args = std::move(arguments);
    return out;
  }
  auto* out = nodes_.make<core::Op>(call.span);
  Diagnostic problem;
  if (!bind_arguments(builtin, arguments, call, *out, problem)) {
    problems_.add(std::move(problem));
  } else if (may_mean_bounds(builtin, call)) {
    core::Op* warned = nodes_.variadic(Operator::reduced_not_bounded, call.span);
    warned->args = {out->args[0], nodes_.constant(std::string(builtin.name), call.span)};
    out->args[0] = warned;
  }
  return out;
}

core::Expr* Calls::of_method(const ast::Call& call, core::Expr* object) {
  const auto& field = *static_cast<const ast::Field*>(call.callee);
  auto* out = nodes_.make<core::MethodCall>(call.span);
  out->object = object;
  out->name = names_.intern(field.name);
  out->name_span = field.name_span;
  const Builtin* builtin = builtins_.find(field.name);
  if (builtin != nullptr && !builtin->method) builtin = nullptr;
  {
    const Pops::Arguments inner(pops_, call);
    out->args = arguments(call, builtin, 1);
  }
  if (builtin == nullptr) return out;
  out->builtin = builtin;
  if (field.name == "pop") {
    core::Expr* item = pops_.take(call, *out);
    return item != nullptr ? item : out;
  }
  if (std::any_of(out->args.begin(), out->args.end(), is_spread)) return out;
  auto* op = nodes_.make<core::Op>(call.span);
  op->method = true;
  Diagnostic problem;
  if (bind_arguments(*builtin, out->args, call, *op, problem)) {
    out->as_builtin = op;
  } else {
    out->bind_error = problem.message;
    out->bind_hint = problem.hint.empty() ? "the value before the dot is the first argument" : problem.hint;
  }
  return out;
}

}  // namespace covec::resolve
