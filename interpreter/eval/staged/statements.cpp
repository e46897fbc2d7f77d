// Stages statements. The hard part is the code after a choice that some paths leave. These statements are walked inside
// the path that goes on (rest_done). So nothing is tested twice, and the other path does not carry them.
#include "interpreter/eval/staged/statements.hpp"

#include "interpreter/eval/staged/parts.hpp"
#include "interpreter/eval/staged/values.hpp"

#include "interpreter/eval/apply/source_scope.hpp"
#include "interpreter/eval/report/messages.hpp"
#include "interpreter/eval/values/new_values.hpp"
#include "interpreter/eval/walk/assertions.hpp"
#include "interpreter/eval/walk/signatures.hpp"
#include "stdlib/value/messages.hpp"

namespace covec {

using eval::row;

// --- functions ---

void StagedStatements::enter(Frame& f) const {
  Staging& staging = *parts_.walk.applier.staging();
  const uint32_t caller = f.caller && f.caller->is_staged() ? f.caller->staged : Staging::no_caller;
  f.staged = staging.enter(*f.closure, caller, f.site ? *f.site : Span());
  f.globals =
      staging.globals(f.closure->function, f.closure->globals, f.closure->source_unit.module->scope.given_rules);
}

// A function inside itself would be walked for ever. Where it is the compiled one, of numbers, its code calls itself;
// where each call knows something else of its arguments, the walk comes to an end by itself; others are found to be
// recursive, and the whole is walked again.
std::optional<Value> StagedStatements::itself(const Frame& f, const CallsOfItself& calls) const {
  // Calls inside each other, and calls in all (docs/language.md).
  constexpr unsigned max_open = 64, max_walked = 256;
  StagedRecursion& recursion = parts_.walk.applier.staging()->recursion();
  const core::Function& function = f.closure->function;
  const Frame& outer = *calls.innermost;
  const bool is_compiled_one = !outer.caller || !outer.caller->is_staged();
  const std::span<const Value> args(f.slots, function.parameters.size());
  const bool of_numbers = is_compiled_one && recursion.may_be_itself(args);
  const bool walked = !of_numbers && !calls.known && calls.open < max_open && calls.outermost->exit != nullptr &&
                      ++calls.outermost->exit->walked <= max_walked;
  if (walked) return std::nullopt;
  if (!of_numbers) recursion.note_recursive(function);
  if (is_compiled_one) {
    std::optional<Value> result = recursion.itself(args, depth_of(f) - depth_of(outer));
    if (result) return result;
  }
  stop_recursion(f, *calls.outermost);
}

// One that is known to call itself as often as only the run knows. None: to be walked as it stands.
std::optional<Value> StagedStatements::recursion(const core::Function& function, Frame& f, const CallsOfItself& calls) {
  constexpr unsigned max_open = 4;  // with arguments of other types each
  Staging& staging = *parts_.walk.applier.staging();
  const std::vector<Value>& captured = f.closure->captured;
  const unsigned depth = depth_of(f);
  if (calls.innermost != nullptr) {
    std::optional<Value> result = staging.recursion().call_inside(function, captured, {f.slots, function.slots}, depth);
    if (result) return result;
    if (calls.open >= max_open) stop_recursion(f, *calls.outermost);
  }
  Staging::Variables slots;
  for (size_t i = 0; i < function.slots; ++i) slots.push_back(&f.slots[i]);
  const size_t unstaged = staging.unstaged();
  std::optional<Value> result = staging.recursion().call(function, captured, slots, depth, [&] {
    StagedExit exit;
    Value gives = walk_function(function, f, exit);
    f.exit = nullptr;
    return gives;
  });
  if (staging.unstaged() > unstaged) {  // going to and fro in each call would cost more than it gains
    parts_.walk.reporter.fail(row("loop_not_staged"), {staging.why_unstaged(unstaged)},
                              {{f.site ? *f.site : Span(), ""}}, f.caller);
  }
  return result;
}

// The statement that calls it from outside is interpreted.
void StagedStatements::stop_recursion(const Frame& f, const Frame& outer) const {
  for (const Frame* inside = f.caller;; inside = inside->caller) {
    if (inside->exit) inside->exit->recursive = true;
    if (inside == &outer) break;
  }
  parts_.walk.reporter.fail(message("not_staged"), {"a recursive call"}, {{f.site ? *f.site : Span(), ""}}, f.caller);
}

namespace {

// An expression function's body as the statement that it means.
const core::Stmt& as_statement(const core::Function& function, const LoadedUnit& source_unit) {
  std::unique_ptr<core::Return>& statement = source_unit.expression_bodies[&function];
  if (!statement) {
    statement = std::make_unique<core::Return>(function.expression->span);
    statement->value = function.expression;
  }
  return *statement;
}

}  // namespace

Raw StagedStatements::body(const core::Function& function, Frame& frame) {
  if (function.stop.known()) parts_.walk.reporter.stop_staging("a breakpoint()", function.stop, frame);
  StagedExit exit;
  exit.known = known_arguments(frame);
  const CallsOfItself calls = calls_of_itself(frame, exit.known);
  std::optional<Value> result;
  if (parts_.walk.applier.staging()->recursion().is_recursive(function))
    result = recursion(function, frame, calls);
  else if (calls.innermost != nullptr)
    result = itself(frame, calls);
  return give(result ? std::move(*result) : walk_function(function, frame, exit));
}

Value StagedStatements::walk_function(const core::Function& function, Frame& frame, StagedExit& exit) {
  frame.exit = &exit;
  const core::Stmt* expression = function.expression ? &as_statement(function, *frame.source_unit) : nullptr;
  const Flow flow = expression ? walk(Rest(&expression, 1), frame) : walk(function.body, frame);
  Value result = result_of(function, flow, frame);
  exit.returned = true;
  if (function.result) parts_.walk.signatures.check_result(function, result, frame);
  return result;
}

Value StagedStatements::result_of(const core::Function& function, Flow flow, Frame& f) const {
  StagedExit& exit = *f.exit;
  if (flow != Flow::return_ && flow != Flow::staged) return Value();
  if (flow == Flow::return_) return std::move(exit.result);
  if (always_exits(function.body)) {
    parts_.paths.settle(exit.result);
    return std::move(exit.result);
  }
  const Value returned = parts_.paths.is_flow(exit.flow, Flow::return_, f);  // some paths fall off the end
  parts_.walk.applier.staging()->branch(
      returned, {&exit.result}, [&] { parts_.paths.settle(exit.result); }, [&] { exit.result = Value(); });
  return std::move(exit.result);
}

// --- statements ---

Flow StagedStatements::walk(const core::Block& block, Frame& f) { return walk(Rest(block), f); }

Flow StagedStatements::walk(Rest statements, Frame& f) {
  for (size_t i = 0; i < statements.size(); ++i) {
    const Rest rest = statements.subspan(i + 1);
    const End end = statement(*statements[i], rest, f);
    if (end.rest_done) return end.flow;
    if (end.flow == Flow::next) continue;
    if (end.flow != Flow::staged || rest.empty()) return end.flow;
    return parts_.paths.go_on(f, [&] { return walk(rest, f); });
  }
  return Flow::next;
}

// No statement can be left to the interpreter here, or it would not help.
bool StagedStatements::must_pass(ErrorKind kind, const Frame& f) const {
  return !parts_.walk.applier.staging()->may_interpret() || f.exit->recursive || kind == ErrorKind::compiler_limit ||
         ends_all(kind);
}

StagedStatements::End StagedStatements::statement(const core::Stmt& stmt, Rest rest, Frame& f) {
  const Staging& staging = *parts_.walk.applier.staging();
  const StagedPoint before(*parts_.walk.applier.staging(), f);
  const size_t unstaged = staging.unstaged();
  f.exit->statement = &stmt;
  StagedValues::Why why{"", stmt.span};
  // A statement inside that is left to the interpreter gives values whose types only the run knows: where the rest
  // needs them, that statement is the reason.
  const auto reason = [&](ErrorKind kind, const std::string& text) {
    return kind == ErrorKind::not_staged && staging.unstaged() > unstaged ? staging.why_unstaged(unstaged) : text;
  };
  try {
    passes(StagedStep::Moment::before, stmt, f);
    const End end = execute(stmt, rest, f);
    if (!end.rest_done) passes(StagedStep::Moment::after, stmt, f);
    f.exit->statement = before.statement();
    return end;
  } catch (const CovecError& error) {
    const Diagnostic& first = error.diagnostics.front();
    if (must_pass(first.kind, f)) throw;
    why.reason = reason(first.kind, first.message);
    if (!first.labels.empty() && stmt.span.contains(first.labels.front().span)) why.at = first.labels.front().span;
  } catch (const OpError& error) {
    if (must_pass(error.kind, f)) throw;
    why.reason = reason(error.kind, error.message);
  }
  before.rollback();
  return {parts_.values.interpret(stmt, std::move(why), f)};
}

void StagedStatements::passes(StagedStep::Moment moment, const core::Stmt& stmt, const Frame& f) const {
  parts_.walk.applier.staging()->passes({moment, stmt, f.closure->function, f.slots});
}

StagedStatements::End StagedStatements::execute(const core::Stmt& stmt, Rest rest, Frame& f) {
  const SourceScope place(*parts_.walk.applier.staging(), stmt.span, {}, nullptr, f.staged);
  const StagedLoops::Walk walk_block = [&](const core::Block& block) { return walk(block, f); };
  switch (stmt.kind) {
    case core::StmtKind::if_: return choose(static_cast<const core::If&>(stmt), rest, f);
    case core::StmtKind::while_: return {parts_.loops.loop(static_cast<const core::While&>(stmt), walk_block, f)};
    case core::StmtKind::for_: return {parts_.loops.loop(static_cast<const core::For&>(stmt), walk_block, f)};
    case core::StmtKind::break_: return {Flow::break_};
    case core::StmtKind::continue_: return {Flow::continue_};
    case core::StmtKind::return_: {
      const auto& node = static_cast<const core::Return&>(stmt);
      f.exit->result = node.value ? parts_.walk.expressions.value_of(*node.value, f) : Value();
      autodiff::renew_if_open(parts_.walk.applier.builder().context(), f.exit->result);
      return {Flow::return_};
    }
    case core::StmtKind::assert_: return {check(static_cast<const core::Assert&>(stmt), f)};
    case core::StmtKind::try_: parts_.walk.reporter.stop_staging("a `try` statement", stmt.span, f);
    case core::StmtKind::import: parts_.walk.reporter.stop_staging("an import", stmt.span, f);
    default: return {parts_.walk.statements.execute(stmt, f)};
  }
}

// Where it fails at the run, the interpreter evaluates it again, for what its parts were; inside a derivative or vmap
// it makes the whole call again.
Flow StagedStatements::check(const core::Assert& node, Frame& f) {
  Staging& staging = *parts_.walk.applier.staging();
  const size_t before = staging.staged();
  const Value holds = parts_.choices.condition(*node.condition, f);
  if (staging.has_effects(before)) {
    parts_.walk.reporter.stop_staging("an assertion that draws random numbers, prints or reads", node.span, f);
  }
  if (holds.tag() == Tag::boolean) {
    if (!holds.boolean()) parts_.walk.assertions.check(node, f);
    return Flow::next;
  }
  if (!staging.may_interpret()) {
    staging.require(holds);
    return Flow::next;
  }
  staging.branch(
      holds, {}, [] {},
      [&] {
        parts_.values.interpret(node, {"an assertion", node.span, true}, f);
      });
  return Flow::next;
}

// What follows an if of which one path leaves belongs to the other path: so nothing needs to be asked again. New values
// are made at the end of each path, so that the order of those that paths have in common is that of all.
StagedStatements::End StagedStatements::choose(const core::If& node, Rest rest, Frame& f) {
  const Value condition = parts_.choices.condition(*node.condition, f);
  const auto path = [&](const core::Block& block, bool with_rest) {
    return [this, &node, &block, with_rest, rest, &f] {
      const auto goes_on = [&] {
        renew_assigned(node, parts_.walk.applier.builder().context(), f);
        return with_rest ? walk(rest, f) : Flow::next;
      };
      const Flow flow = walk(block, f);
      if (flow == Flow::next) return goes_on();
      if (flow != Flow::staged) return flow;
      const bool follows = with_rest || parts_.walk.applier.builder().context().innermost != nullptr;
      return follows ? parts_.paths.go_on(f, goes_on) : flow;
    };
  };
  if (condition.tag() == Tag::boolean) return {path(condition.boolean() ? node.then : node.otherwise, false)()};
  const bool then_leaves = always_exits(node.then), otherwise_leaves = always_exits(node.otherwise);
  const bool takes_rest = then_leaves != otherwise_leaves;
  const Flow flow = parts_.paths.either(condition, f, path(node.then, takes_rest && otherwise_leaves),
                                        path(node.otherwise, takes_rest && then_leaves));
  return {flow, takes_rest};
}

}  // namespace covec
