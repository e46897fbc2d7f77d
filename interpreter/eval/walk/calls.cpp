// Arguments are evaluated in the caller's frame, straight into the callee's window. Only then does the callee's frame
// become the innermost. So an error in an argument belongs to the caller, and no argument is moved twice.
#include "interpreter/eval/walk/calls.hpp"

#include "interpreter/eval/walk/parts.hpp"

#include <algorithm>

#include "interpreter/eval/apply/source_scope.hpp"
#include "interpreter/eval/report/hints.hpp"
#include "interpreter/eval/report/host.hpp"
#include "interpreter/eval/report/messages.hpp"
#include "interpreter/eval/values/new_values.hpp"
#include "interpreter/eval/values/store.hpp"
#include "interpreter/eval/walk/fields.hpp"
#include "interpreter/eval/walk/operators.hpp"
#include "interpreter/eval/walk/signatures.hpp"
#include "interpreter/eval/walk/statements.hpp"
#include "stdlib/value/map.hpp"

namespace covec {

using eval::row;

using Activation = CallStack::Activation;

// A statement is the place of what nothing in it has a place for, as Statements::run has it.
[[gnu::always_inline]] inline Flow Calls::run_statements(const core::Block& body, Frame& frame) {
  const core::Stmt* at = nullptr;
  try {
    for (const core::Stmt* stmt : body) {
      at = stmt;
      if (parts_.statements.execute(*stmt, frame) == Flow::return_) return Flow::return_;
    }
  } catch (...) {
    parts_.reporter.raise(current_error(), at->span, {}, &frame);
  }
  return Flow::next;
}

Raw Calls::run_body(const core::Function& function, Frame& frame) {
  if (frame.is_staged()) [[unlikely]]
    return parts_.staged.body(function, frame);
  if (function.expression) {
    if (!function.result) [[likely]]
      return parts_.expressions.evaluate(*function.expression, frame);
    Value result = parts_.expressions.value_of(*function.expression, frame);
    parts_.signatures.check_result(function, result, frame);
    return give(std::move(result));
  }
  if (run_statements(function.body, frame) == Flow::return_) {
    if (!function.result) [[likely]]
      return frame.result;
    Value result = own(frame.result);
    parts_.signatures.check_result(function, result, frame);
    return give(std::move(result));
  }
  Value none;
  if (function.result) parts_.signatures.check_result(function, none, frame);
  return give(std::move(none));
}

namespace {

bool may_move(const core::Expr& expr) {
  return expr.kind == core::ExprKind::global && static_cast<const core::Global&>(expr).last_use;
}

bool all_positional(const core::Call& node) {
  using Form = core::Call::Form;
  if (node.form == Form::unknown) [[unlikely]] {
    node.form = Form::positional;
    for (const core::Argument& arg : node.args) {
      if (!arg.name.empty() && node.form != Form::spread) node.form = Form::named;
      if (arg.spread != core::Argument::Spread::none) node.form = Form::spread;
    }
  }
  return node.form == Form::positional;
}

bool has_spread(const std::vector<core::Argument>& args) {
  return std::any_of(args.begin(), args.end(),
                     [](const core::Argument& arg) { return arg.spread != core::Argument::Spread::none; });
}

std::vector<std::string_view> keywords_of(const std::vector<core::Argument>& args) {
  std::vector<std::string_view> names;
  for (const core::Argument& arg : args) {
    if (!arg.name.empty()) names.push_back(arg.name);
  }
  return names;
}

std::vector<Span> spans_of(const std::vector<core::Argument>& args) {
  std::vector<Span> spans;
  for (const core::Argument& arg : args) spans.push_back(arg.value->span);
  return spans;
}

}  // namespace

// A module-level variable moves into a call that replaces it, where an error need not leave it as it was.
inline void Calls::give_up(const core::Expr& expr, Frame& f) const {
  if (may_move(expr) && !keep_globals_) f.globals[static_cast<const core::Global&>(expr).slot] = Value::unbound();
}

void Calls::evaluate(const std::vector<core::Argument>& args, Window& values, Frame& f) {
  for (size_t i = 0; i < args.size(); ++i) {
    values[i] = parts_.expressions.value_of(*args[i].value, f);
    give_up(*args[i].value, f);
  }
}

// The commonest call: positional arguments, straight into the slots of a function without defaults and annotations.
[[gnu::always_inline]] inline Raw Calls::call_plain(const Closure& closure, const core::Call& node, Frame& f) {
  parts_.stack.check_call(f, node.span);
  Activation scope(parts_.stack, closure, &f, &node.span);
  if (f.is_staged()) [[unlikely]]
    parts_.staged.enter(scope.frame);
  Value* slot = scope.frame.slots;
  for (const core::Argument& arg : node.args) {
    store(*slot++, parts_.operators.operand(*arg.value, f));
    give_up(*arg.value, f);
  }
  scope.enter();
  return run_body(closure.function, scope.frame);
}

Raw Calls::call(const core::Call& node, Frame& f) { return renewed(parts_.stack.context(), call_by(node, f)); }

[[gnu::always_inline]] inline Raw Calls::call_by(const core::Call& node, Frame& f) {
  const core::Expr& expr = *node.callee;
  const bool global = expr.kind == core::ExprKind::global;
  const Value callee =
      global ? f.globals[static_cast<const core::Global&>(expr).slot] : parts_.expressions.value_of(expr, f);
  const Callable* body = callee.is(ObjectKind::function) ? callee.function().body : nullptr;
  if (body != nullptr && (body == &callee.function() || !f.is_staged())) [[likely]] {
    if (body != &callee.function()) callee.function().count_tier_call();
    const auto& closure = static_cast<const Closure&>(*body);
    if (all_positional(node) && closure.plain_arity == node.args.size()) [[likely]]
      return call_plain(closure, node, f);
    if (node.form == core::Call::Form::spread) return call_spread(callee, node.args, nullptr, node.span, expr.span, f);
    return call_closure(closure, node.args, node.span, f);
  }
  if (callee.is(ObjectKind::function) && callee.function().callable_kind == CallableKind::compiled && !f.is_staged()) {
    const Callable& from = callee.function().compiled_from()->function();
    if (all_positional(node) && from.callable_kind == CallableKind::closure &&
        static_cast<const Closure&>(from).plain_arity == node.args.size()) {
      return call_compiled_plain(callee.function(), node, f);
    }
  }
  if (!all_positional(node) && node.form == core::Call::Form::spread && !callee.is_unbound())
    return call_spread(callee, node.args, nullptr, node.span, expr.span, f);
  if (callee.is_unbound()) parts_.expressions.unbound_global(static_cast<const core::Global&>(expr), f);
  if (callee.is(ObjectKind::sequence) && f.is_staged())
    return call_value(parts_.applier.staging()->present(callee), node.args, node.span, expr.span, f);
  if (!callee.is(ObjectKind::function)) not_callable(callee, &expr, expr.span, f);
  return call_value(callee, node.args, node.span, expr.span, f);
}

void Calls::not_callable(const Value& callee, const core::Expr* expr, Span span, const Frame& f) const {
  std::vector<Label> labels = {{span, "this is " + what_is(callee)}};
  const std::string hint = hint_for_call(parts_.reporter, callee, expr, span, f, labels);
  parts_.reporter.fail(row("not_callable"), {what_is(callee)}, std::move(labels), f, hint);
}

Raw Calls::call_closure(const Closure& closure, const std::vector<core::Argument>& args, const Span& span, Frame& f) {
  parts_.stack.check_call(f, span);
  const core::Function& function = closure.function;
  Window values(parts_.stack, args.size());
  evaluate(args, values, f);
  const std::vector<std::string_view> names = keywords_of(args);
  Activation scope(parts_.stack, closure, &f, &span);
  if (f.is_staged()) parts_.staged.enter(scope.frame);
  NamedExtents extents;
  if (names.empty() && Signatures::pass(function, values.span(), extents)) {
    for (size_t i = 0; i < args.size(); ++i) scope.frame.slots[i] = std::move(values[i]);
    extents.bind(scope.frame.slots);
    scope.enter();
    return run_body(function, scope.frame);
  }
  const Given given{values.span(), names, &args};
  parts_.binding.bind(function, given, scope.frame, &f, span);
  scope.enter();
  parts_.signatures.check_parameters(function, given, scope.frame);
  return run_body(function, scope.frame);
}

Raw Calls::call_value(const Value& callee, const std::vector<core::Argument>& args, const Span& span, Span callee_span,
                      Frame& f) {
  if (!callee.is(ObjectKind::function)) not_callable(callee, nullptr, callee_span, f);
  Callable& callable = callee.function();
  if (callable.callable_kind == CallableKind::closure) {
    return call_closure(static_cast<const Closure&>(callable), args, span, f);
  }
  if (const Value* body = f.is_staged() ? nullptr : callable.compiled_from()) {
    if (body->function().callable_kind == CallableKind::closure) {
      return call_compiled(callable, static_cast<const Closure&>(body->function()), args, span, f);
    }
  }
  return call_other(callable, args, span, f);
}

// Builtins, functions made of functions, a host's.
Raw Calls::call_other(Callable& callable, const std::vector<core::Argument>& args, const Span& span, Frame& f) {
  parts_.stack.check_call(f, span);
  Window values(parts_.stack, args.size());
  for (size_t i = 0; i < args.size(); ++i) values[i] = parts_.expressions.value_of(*args[i].value, f);
  return call_with_names(callable, values.span(), keywords_of(args), args, span, f);
}

Raw Calls::call_with_names(Callable& callable, std::span<Value> values, const std::vector<std::string_view>& names,
                           const std::vector<core::Argument>& args, const Span& span, Frame& f) {
  parts_.applier.set_site(span);
  const std::vector<Span> spans = f.is_staged() ? spans_of(args) : std::vector<Span>();
  const OptionalSourceScope place(parts_.applier.staging(), span, spans, nullptr, f);
  try {
    return give(callable.call(parts_.applier.builder(), values, names));
  } catch (...) {
    parts_.reporter.raise(current_error(), span, spans_of(args), &f);
  }
}

// --- spread arguments ---

// What a callee gets: the last values are those of the names.
struct Calls::Expanded {
  std::vector<Value> values;
  std::vector<std::string> names;
};

void Calls::expand(const core::Argument& arg, Expanded& out, Frame& f) {
  Value value = parts_.expressions.value_of(*arg.value, f);
  const Span span = arg.value->span;
  if (arg.spread == core::Argument::Spread::none) {
    out.values.push_back(std::move(value));
    if (!arg.name.empty()) out.names.emplace_back(arg.name);
  } else if (arg.spread == core::Argument::Spread::items) {
    value = Iteration::walked(std::move(value));
    parts_.iteration.add_items(value, 0, 1, parts_.iteration.known_length_of(value, span, f), out.values, span, f);
  } else {
    if (value.is(ObjectKind::map)) return expand_map(value, span, out, f);
    if (!value.is(ObjectKind::record))
      parts_.reporter.fail(row("spread_fields"), {what_is(value)}, {{span, "this is " + what_is(value)}}, f);
    const Record& record = value.record();
    out.values.insert(out.values.end(), record.items.begin(), record.items.end());
    out.names.insert(out.names.end(), record.layout->names.begin(), record.layout->names.end());
  }
}

void Calls::expand_map(const Value& map, Span span, Expanded& out, const Frame& f) const {
  const std::vector<Value>& keys = map_of(map).keys();
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!keys[i].is(ObjectKind::string)) parts_.reporter.fail(row("spread_keys"), {key_text(keys[i])}, {{span, ""}}, f);
    out.values.push_back(map_of(map).values()[i]);
    out.names.push_back(keys[i].string().text);
  }
}

Raw Calls::call_spread(const Value& callee, const std::vector<core::Argument>& args, const Value* first,
                       const Span& span, Span callee_span, Frame& f) {
  if (!callee.is(ObjectKind::function))
    parts_.reporter.fail(row("not_callable"), {what_is(callee)}, {{callee_span, "this is " + what_is(callee)}}, f);
  Expanded given;
  if (first != nullptr) given.values.push_back(*first);
  for (const core::Argument& arg : args) expand(arg, given, f);
  return call_expanded(callee.function(), given, span, f);
}

Raw Calls::call_expanded(Callable& callable, Expanded& given, const Span& span, Frame& f) {
  parts_.stack.check_call(f, span);
  const std::vector<std::string_view> names(given.names.begin(), given.names.end());
  if (callable.callable_kind != CallableKind::closure)
    return call_with_names(callable, given.values, names, {}, span, f);
  const auto& closure = static_cast<const Closure&>(callable);
  Activation scope(parts_.stack, closure, &f, &span);
  if (f.is_staged()) parts_.staged.enter(scope.frame);
  const Given bound{given.values, names};
  parts_.binding.bind(closure.function, bound, scope.frame, &f, span);
  scope.enter();
  parts_.signatures.check_parameters(closure.function, bound, scope.frame);
  return run_body(closure.function, scope.frame);
}

// --- compiled functions ---

Raw Calls::call_compiled_plain(Callable& callable, const core::Call& node, Frame& f) {
  parts_.stack.check_call(f, node.span);
  Window values(parts_.stack, node.args.size());
  evaluate_operands(node, values.span().data(), f);
  return give(call_at(callable, values.span(), node.span, &f));
}

void Calls::evaluate_operands(const core::Call& node, Value* to, Frame& f) {
  for (const core::Argument& arg : node.args) {
    store(*to++, parts_.operators.operand(*arg.value, f));
    give_up(*arg.value, f);
  }
}

namespace {
// Whether so many arguments go into the parameters as they come, the last of which is a rest.
bool is_plain_rest(const core::Function& function, size_t given) {
  const auto is_plain = [](const core::Parameter& each) {
    return each.annotation == nullptr && each.fallback == nullptr;
  };
  return function.is_rest(function.parameters.size() - 1) && given + 1 >= function.parameters.size() &&
         std::ranges::all_of(function.parameters, is_plain);
}
}  // namespace

Raw Calls::call_compiled(Callable& callable, const Closure& body, const std::vector<core::Argument>& args,
                         const Span& span, Frame& f) {
  parts_.stack.check_call(f, span);
  Window values(parts_.stack, args.size());
  evaluate(args, values, f);
  const std::vector<std::string_view> names = keywords_of(args);
  return call_code(callable, body, {values.span(), names, &args}, span, &f);
}

// Arguments are bound by name, filled in and checked here, as the function itself would do it; the code gets them all
// by position.
Raw Calls::call_code(Callable& code, const Closure& body, const Given& given, const Span& span, Frame* caller) {
  const core::Function& function = body.function;
  const bool by_position_already =
      function.rest >= 0 ? is_plain_rest(function, given.values.size()) : body.plain_arity == given.values.size();
  NamedExtents extents;
  if (given.names.empty() && (by_position_already || Signatures::pass(function, given.values, extents)))
    return give(call_at(code, given.values, span, caller));
  Activation scope(parts_.stack, body, caller, &span);
  parts_.binding.bind(function, given, scope.frame, caller, span);
  scope.enter();
  parts_.signatures.check_parameters(function, given, scope.frame);
  std::vector<Value> bound = Binding::bound_arguments(function, scope.frame.slots);
  scope.leave();
  return give(call_at(code, bound, span, caller));
}

Value Calls::call_at(Callable& callable, std::span<Value> args, const Span& span, Frame* caller) {
  parts_.applier.set_site(span);
  try {
    return callable.call_bound(parts_.applier.builder(), args);
  } catch (...) {
    parts_.reporter.raise(current_error(), span, {}, caller);
  }
}

// --- methods ---

Raw Calls::method_call(const core::MethodCall& node, Frame& f) {
  return renewed(parts_.stack.context(), call_method(node, f));
}

Raw Calls::call_method(const core::MethodCall& node, Frame& f) {
  Value object = parts_.expressions.value_of(*node.object, f);
  const Value* field = object.is(ObjectKind::record) ? object.record().find(node.name)
                       : object.is(ObjectKind::module)
                           ? name_in(module_of(object), node.name, node.span, parts_.reporter, f)
                           : nullptr;
  if (field) {
    const Value callee = *field;
    if (has_spread(node.args))
      return call_spread(callee, node.args, nullptr, node.span, node.object->span.to(node.name_span), f);
    return call_value(callee, node.args, node.span, node.object->span.to(node.name_span), f);
  }
  if (node.alone != core::MethodCall::Alone::no && !object.is(ObjectKind::module)) say_unused(node, f);
  if (node.as_builtin && !object.is(ObjectKind::module))
    return parts_.operators.apply_with(*node.as_builtin, f, &object);
  if (node.builtin != nullptr && has_spread(node.args) && !object.is(ObjectKind::module))
    return call_spread(parts_.host.value_of(*node.builtin), node.args, &object, node.span, node.name_span, f);
  no_method(node, object, f);
}

// xs.sort() sorts nothing that anybody sees.
void Calls::say_unused(const core::MethodCall& node, const Frame& f) const {
  const std::string text = parts_.reporter.source_of(node.span), name = parts_.reporter.source_of(node.object->span);
  const std::string cure = "write " + name + " = " + text + ", or print(" + text + ")";
  if (node.alone == core::MethodCall::Alone::in_function)
    parts_.reporter.fail(row("unused_method"), {}, {{node.span, ""}}, f, cure);
  if (parts_.stack.context().output == nullptr) return;
  parts_.applier.set_site(node.span);
  parts_.stack.context().output->warn("the value of this statement is not used: " + cure);
}

void Calls::no_method(const core::MethodCall& node, const Value& object, const Frame& f) const {
  if (object.is(ObjectKind::module)) {
    const Module& module = module_of(object);
    parts_.reporter.fail(row("module_name"), {module.name, std::string(node.name)}, {{node.name_span, ""}}, f,
                         hint_for_name_of_module(parts_.reporter, module, node.name));
  }
  if (!node.bind_error.empty())
    parts_.reporter.fail(row("method_arguments"), {node.bind_error}, {{node.name_span, ""}}, f, node.bind_hint);
  parts_.reporter.fail(row("no_method"), {what_is(object), std::string(node.name)}, {{node.name_span, ""}}, f,
                       hint_for_method(parts_.reporter, node, object));
}

}  // namespace covec
