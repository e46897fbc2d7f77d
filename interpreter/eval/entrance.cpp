// Whoever calls from outside may bring a Builder of its own; the place of such a call is that of the operation that is
// applied.
#include "interpreter/eval/entrance.hpp"

#include "interpreter/eval/messages.hpp"
#include "interpreter/eval/new_values.hpp"
#include "interpreter/eval/signatures.hpp"
#include "interpreter/eval/staged_statements.hpp"
#include "interpreter/eval/statements.hpp"

namespace covec {

using eval::row;

std::optional<Value> Entrance::run(const LoadedUnit& loaded) {
  const core::Unit& unit = *loaded.unit;
  Window window(stack_, unit.slots);
  Frame f;
  f.slots = window.span().data();
  f.constants = loaded.constants.data();
  f.globals = loaded.module->globals.data();
  f.home = &loaded;
  f.caller = stack_.innermost();
  f.site = applier_.site();
  const CallStack::Detour detour(stack_, &f, 0);
  for (size_t i = 0; i < unit.body.size(); ++i) {
    const core::Stmt& stmt = *unit.body[i];
    if (unit.ends_in_value && i + 1 == unit.body.size() && stmt.kind == core::StmtKind::evaluate) {
      return expressions_.value_of(*static_cast<const core::Evaluate&>(stmt).value, f);
    }
    statements_.run(stmt, f);
  }
  return std::nullopt;
}

Value Entrance::call(const Value& function, std::span<Value> args, std::span<const std::string_view> keywords) {
  Frame* const f = stack_.innermost();
  if (!function.is(ObjectKind::function)) reporter_.fail(row("not_callable"), {what_is(function)}, {}, f);
  try {
    Callable& callable = function.function();
    if (callable.body != nullptr && applier_.staging() == nullptr) {  // as Calls::call does inside
      const auto& closure = static_cast<const Closure&>(*callable.body);
      if (&closure != &callable) callable.borrow();
      return call(closure, applier_.builder(), args, keywords, false);
    }
    return callable.call(applier_.builder(), args, keywords);
  } catch (...) {
    reporter_.raise(current_error(), Span(), {}, f);
  }
}

// The place of the call is that of the operation that runs now.
Value Entrance::call(const Closure& closure, ops::Builder& builder, std::span<Value> args,
                     std::span<const std::string_view> keywords, bool bound) {
  const Applier::KeepSite keep(applier_);
  const Applier::Switch other(applier_, builder, applier_.staging());
  const Span span = applier_.site_span();
  Frame* const caller = stack_.innermost();
  const Frame none;
  stack_.check_call(caller ? *caller : none, span);
  CallStack::Activation scope(stack_, closure, caller, applier_.site());
  scope.frame.bound = bound;
  if (applier_.staging()) staged_statements_.enter(scope.frame);
  const core::Function& function = closure.function;
  const Given given{args, keywords};
  NamedExtents names;
  const bool plain = keywords.empty() && args.size() == function.parameters.size();
  if (plain && (function.simple || Signatures::pass(function, args, names))) {
    for (size_t i = 0; i < args.size(); ++i) scope.frame.slots[i] = std::move(args[i]);
    names.bind(scope.frame.slots);
    scope.enter();
  } else {
    binding_.bind(function, given, scope.frame, caller, span);
    scope.enter();
    signatures_.check_parameters(function, given, scope.frame);
  }
  return own(renewed(builder.context(), calls_.run_body(function, scope.frame)));
}

Value Entrance::call_code(Callable& code, const Closure& body, ops::Builder& builder, std::span<Value> args) {
  const Span span = applier_.site_span();
  Frame* const caller = stack_.innermost();
  const Frame none;
  stack_.check_call(caller ? *caller : none, span);
  NamedExtents names;
  if (body.plain_arity == args.size() || Signatures::pass(body.function, args, names))
    return code.call_bound(builder, args);
  const Applier::KeepSite keep(applier_);
  return own(calls_.call_code(code, body, {args, {}}, span, caller));
}

}  // namespace covec
