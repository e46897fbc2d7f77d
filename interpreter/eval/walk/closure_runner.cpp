// Calls from outside may bring a Builder of their own. The source place of such a call is that of the operation being
// applied.
#include "interpreter/eval/walk/closure_runner.hpp"

#include "interpreter/eval/walk/parts.hpp"

#include <algorithm>

#include "interpreter/eval/report/messages.hpp"
#include "interpreter/eval/values/new_values.hpp"
#include "interpreter/eval/walk/signatures.hpp"
#include "interpreter/eval/walk/statements.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

using eval::row;

std::optional<Value> ClosureRunner::run(const LoadedUnit& loaded) {
  const core::Unit& unit = *loaded.unit;
  Window window(parts_.stack, unit.slots);
  Frame f;
  f.slots = window.span().data();
  f.constants = loaded.constants.data();
  f.globals = loaded.module->globals.data();
  f.source_unit = &loaded;
  f.caller = parts_.stack.innermost();
  f.site = parts_.applier.site();
  const CallStack::FrameScope scope(parts_.stack, &f, 0);
  for (size_t i = 0; i < unit.body.size(); ++i) {
    const core::Stmt& stmt = *unit.body[i];
    if (unit.ends_in_value && i + 1 == unit.body.size() && stmt.kind == core::StmtKind::evaluate) {
      if (stmt.is_marked()) f.at = &stmt;
      return parts_.expressions.value_of(*static_cast<const core::Evaluate&>(stmt).value, f);
    }
    parts_.statements.run(stmt, f);
  }
  return std::nullopt;
}

namespace {

class NoTransformations {
 public:
  explicit NoTransformations(ops::Context& context)
      : context_(context),
        innermost_(std::exchange(context.innermost, nullptr)),
        level_(std::exchange(context.level, 0)),
        rule_of_(std::exchange(context.rule_of, nullptr)),
        batches_(std::exchange(context.batches, {})) {}
  ~NoTransformations() {
    context_.innermost = innermost_;
    context_.level = level_;
    context_.rule_of = rule_of_;
    context_.batches = std::move(batches_);
  }
  NoTransformations(const NoTransformations&) = delete;
  NoTransformations& operator=(const NoTransformations&) = delete;

 private:
  ops::Context& context_;
  autodiff::OpenLevel* innermost_;
  uint64_t level_;
  const ops::Entry* rule_of_;
  std::vector<ops::OpenBatch> batches_;
};

}  // namespace

std::optional<Value> ClosureRunner::run_apart(const LoadedUnit& unit, ops::Builder& eager) {
  const Applier::KeepSite keep(parts_.applier);
  const Applier::Switch other(parts_.applier, eager, nullptr);
  const CallStack::FrameScope outermost(parts_.stack, nullptr, 0);
  const NoTransformations none(eager.context());
  eager.context().site = nullptr;
  return run(unit);
}

namespace {

// An argument that has been converted stays as it came.
void take_extents(Value& argument, const Value& checked) {
  const Value trees[] = {argument, checked};
  const auto leaf = [](std::span<const Value> leaves) {
    const bool alike = is_operand(shaped_part(leaves[0])) && is_operand(shaped_part(leaves[1])) &&
                       logical_type(shaped_part(leaves[0])).dtype == logical_type(shaped_part(leaves[1])).dtype;
    return leaves[alike ? 1 : 0];
  };
  argument = is_tree(argument) ? map_trees(trees, leaf) : leaf(trees);
}

}  // namespace

Value ClosureRunner::call(const Value& function, std::span<Value> args, std::span<const std::string_view> keywords) {
  Frame* const f = parts_.stack.innermost();
  if (!function.is(ObjectKind::function)) parts_.reporter.fail(row("not_callable"), {what_is(function)}, {}, f);
  try {
    Callable& callable = function.function();
    if (callable.body != nullptr && parts_.applier.staging() == nullptr) {  // as Calls::call does inside
      const auto& closure = static_cast<const Closure&>(*callable.body);
      if (&closure != &callable) callable.count_tier_call();
      return call(closure, parts_.applier.builder(), args, keywords, false);
    }
    return callable.call(parts_.applier.builder(), args, keywords);
  } catch (...) {
    parts_.reporter.raise(current_error(), Span(), {}, f);
  }
}

// The place of the call is that of the operation that runs now.
Value ClosureRunner::call(const Closure& closure, ops::Builder& builder, std::span<Value> args,
                          std::span<const std::string_view> keywords, bool bound) {
  const Applier::KeepSite keep(parts_.applier);
  const Applier::Switch other(parts_.applier, builder, parts_.applier.staging());
  const Span span = parts_.applier.site_span();
  Frame* const caller = parts_.stack.innermost();
  const Frame none;
  parts_.stack.check_call(caller ? *caller : none, span);
  CallStack::Activation scope(parts_.stack, closure, caller, parts_.applier.site());
  scope.frame.bound = bound;
  if (parts_.applier.staging()) parts_.staged.enter(scope.frame);
  const core::Function& function = closure.function;
  const Given given{args, keywords, nullptr, bound};
  NamedExtents names;
  const bool plain = keywords.empty() && args.size() == function.parameters.size();
  if (plain && (function.simple || Signatures::pass(function, args, names))) {
    for (size_t i = 0; i < args.size(); ++i) scope.frame.slots[i] = std::move(args[i]);
    names.bind(scope.frame.slots);
    scope.enter();
  } else {
    parts_.binding.bind(function, given, scope.frame, caller, span);
    scope.enter();
    parts_.signatures.check_parameters(function, given, scope.frame);
  }
  return own(renewed(builder.context(), parts_.calls.run_body(function, scope.frame)));
}

// Defaults are not computed twice, so all must be given.
void ClosureRunner::know_arguments(const Closure& closure, ops::Builder& builder, std::span<Value> args) {
  const core::Function& function = closure.function;
  if (function.simple || function.rest >= 0 || args.size() != function.parameters.size()) return;
  const Applier::KeepSite keep(parts_.applier);
  const Applier::Switch other(parts_.applier, builder, parts_.applier.staging());
  CallStack::Activation scope(parts_.stack, closure, parts_.stack.innermost(), parts_.applier.site());
  parts_.staged.enter(scope.frame);
  std::ranges::copy(args, scope.frame.slots);
  scope.enter();
  parts_.signatures.check_parameters(function, {args, {}}, scope.frame);
  for (size_t i = 0; i < args.size(); ++i) take_extents(args[i], scope.frame.slots[i]);
}

Value ClosureRunner::call_code(Callable& code, const Closure& body, ops::Builder& builder, std::span<Value> args,
                               std::span<const std::string_view> keywords) {
  const Span span = parts_.applier.site_span();
  Frame* const caller = parts_.stack.innermost();
  const Frame none;
  parts_.stack.check_call(caller ? *caller : none, span);
  NamedExtents names;
  if (keywords.empty() && (body.plain_arity == args.size() || Signatures::pass(body.function, args, names)))
    return code.call_bound(builder, args);
  const Applier::KeepSite keep(parts_.applier);
  return own(parts_.calls.call_code(code, body, {args, keywords}, span, caller));
}

std::string ClosureRunner::source_of(Span span) const { return parts_.reporter.source_of(span); }

}  // namespace covec
