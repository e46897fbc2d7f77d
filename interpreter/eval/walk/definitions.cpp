// Makes a closure each time its definition is reached, and applies its decorators then.
#include "interpreter/eval/walk/definitions.hpp"

#include "interpreter/eval/walk/parts.hpp"

#include "interpreter/eval/report/messages.hpp"
#include "interpreter/eval/values/closure.hpp"
#include "stdlib/ops/derivatives/rules_of_functions.hpp"

namespace covec {

using eval::row;

std::vector<Value> Definitions::captured(const core::MakeClosure& node, const Frame& f) const {
  std::vector<Value> captured;
  captured.reserve(node.captures.size());
  for (const core::CaptureSource& source : node.captures) {
    const bool local = source.from == core::CaptureSource::From::local;
    if (f.is_staged() && local && f.slots[source.index].is_unbound()) {
      parts_.staged.capture(node, f.slots[source.index], f);
    }
    captured.push_back(local ? f.slots[source.index] : f.closure->captured[source.index]);
  }
  return captured;
}

Value Definitions::make_closure(const core::MakeClosure& node, const Frame& f) const {
  std::vector<Value> values = captured(node, f);
  try {
    return Value::adopt(new Closure(parts_.closure_runner, *node.function, *f.source_unit, std::move(values)));
  } catch (...) {
    parts_.reporter.raise(current_error(), node.span, {}, &f);
  }
}

Raw Definitions::closure(const core::MakeClosure& node, Frame& f) {
  if (node.self) return give(reference_to(const_cast<Closure*>(f.closure)));
  const core::Function& function = *node.function;
  Value closure = make_closure(node, f);
  if (!node.definition) return give(std::move(closure));
  if (function.test) parts_.host.found_test(function, closure);
  if (function.compile || (!f.is_staged() && parts_.host.compiles_all())) closure = compiled(function, closure, f);
  if (function.bench) parts_.host.found_bench(function, closure);
  return give(std::move(closure));
}

// `@compile(strict=true) fn …` is compile(f, strict=true).
Value Definitions::compiled(const core::Function& function, const Value& closure, Frame& f) {
  const ops::Entry& entry = *parts_.host.compile_entry();
  std::vector<Value> args(entry.parameters.size(), Value::unbound());
  args[0] = closure;
  for (const core::Argument& option : function.compile_options) {
    for (size_t i = 1; i < args.size(); ++i) {
      if (entry.parameters[i].name == option.name) args[i] = parts_.expressions.value_of(*option.value, f);
    }
  }
  parts_.applier.set_site(function.name_span);
  return parts_.applier.call(entry, args, function.name_span, f);
}

namespace {

size_t least_arguments(const core::Function& function) {
  size_t least = 0;
  for (const core::Parameter& parameter : function.parameters) least += parameter.fallback == nullptr;
  return least - function.options;
}

// Nothing is said of functions with a rest: how many arguments they get, calls say.
bool takes(const core::Function& function, size_t count) {
  return function.rest >= 0 ||
         (least_arguments(function) <= count && count <= function.parameters.size() - function.options);
}

}  // namespace

// `@derivative(of=f) fn rule(…)`: from here on the variable that names f holds f with its rule.
void Definitions::attach_derivative(const core::Function& function, const Value& rule, Frame& f) {
  const core::Expr& of = *function.derivative_of;
  Value target = parts_.expressions.value_of(of, f);
  if (!target.is(ObjectKind::function))
    parts_.reporter.fail(row("derivative_target"), {what_is(target)}, {{of.span, ""}}, f);
  Value* place = nullptr;
  if (of.kind == core::ExprKind::local) place = &f.slots[static_cast<const core::Local&>(of).slot];
  if (of.kind == core::ExprKind::global) place = &f.globals[static_cast<const core::Global&>(of).slot];
  if (!place) parts_.reporter.fail(row("derivative_place"), {}, {{of.span, ""}}, f);
  check_rule(function, target.function(), f);
  const auto mode = function.forward_rule ? autodiff::RuleMode::forward : autodiff::RuleMode::reverse;
  try {
    *place = autodiff::attach_rule(std::move(target), rule, mode);
  } catch (...) {
    parts_.reporter.raise(current_error(), of.span, {}, &f);
  }
}

// A rule gets all arguments of its function, so their number is known where it is defined.
void Definitions::check_rule(const core::Function& rule, const Callable& of, const Frame& f) const {
  if (of.rest_parameter() >= 0 || of.entry() != nullptr || of.callable_kind == CallableKind::host) return;
  const bool forward = rule.forward_rule;
  const size_t count = autodiff::rule_arguments(forward ? autodiff::RuleMode::forward : autodiff::RuleMode::reverse,
                                                of.parameter_names().size());
  if (takes(rule, count)) return;
  parts_.reporter.fail(
      row("derivative_parameters"),
      {std::string(rule.name), of.name(), forward ? "forward" : "reverse", std::to_string(count),
       forward ? "a tangent for each" : "the cotangent", std::to_string(rule.parameters.size() - rule.options)},
      {{rule.name_span, ""}}, f);
}

}  // namespace covec
