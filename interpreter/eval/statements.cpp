// Statements. Each says how it ended (Flow); loops poll the interrupt flag once per iteration.
#include "interpreter/eval/arithmetic.hpp"
#include "interpreter/eval/interpreter.hpp"
#include "interpreter/eval/messages.hpp"
#include "interpreter/eval/store.hpp"
#include "stdlib/autodiff/rules_of_functions.hpp"
#include "stdlib/tensor/format.hpp"

namespace covec {

using eval::row;

Flow Interpreter::execute(const core::Block& block, Frame& f) {
  for (const core::Stmt* stmt : block) {
    const Flow flow = execute(*stmt, f);
    if (flow != Flow::next) return flow;
  }
  return Flow::next;
}

// Nothing but a jump: each statement has a function of its own.
Flow Interpreter::execute(const core::Stmt& stmt, Frame& f) {
  switch (stmt.kind) {
    case core::StmtKind::update_path: return update(static_cast<const core::UpdatePath&>(stmt), f);
    case core::StmtKind::assign: return define(static_cast<const core::Assign&>(stmt), f);
    case core::StmtKind::if_: return execute_if(static_cast<const core::If&>(stmt), f);
    case core::StmtKind::return_: return execute_return(static_cast<const core::Return&>(stmt), f);
    case core::StmtKind::for_: return loop(static_cast<const core::For&>(stmt), f);
    case core::StmtKind::while_: return loop(static_cast<const core::While&>(stmt), f);
    case core::StmtKind::break_: return Flow::break_;
    case core::StmtKind::continue_: return Flow::continue_;
    default: return execute_rest(stmt, f);
  }
}

Flow Interpreter::execute_rest(const core::Stmt& stmt, Frame& f) {
  switch (stmt.kind) {
    case core::StmtKind::evaluate: own(evaluate(*static_cast<const core::Evaluate&>(stmt).value, f)); break;
    case core::StmtKind::push: push(static_cast<const core::Push&>(stmt), f); break;
    case core::StmtKind::assert_: assert_(static_cast<const core::Assert&>(stmt), f); break;
    case core::StmtKind::import: import(static_cast<const core::Import&>(stmt), f); break;
    case core::StmtKind::destructure: {
      const auto& node = static_cast<const core::Destructure&>(stmt);
      const Value value = value_of(*node.value, f);
      unpack(value, *node.target, node.value->span, f);
      break;
    }
    default: break;
  }
  return Flow::next;
}

Flow Interpreter::execute_if(const core::If& node, Frame& f) {
  const core::Block& block = condition(*node.condition, f) ? node.then : node.otherwise;
  for (const core::Stmt* stmt : block) {
    const Flow flow = execute(*stmt, f);
    if (flow != Flow::next) return flow;
  }
  return Flow::next;
}

Flow Interpreter::execute_return(const core::Return& node, Frame& f) {
  f.result = node.value ? operand(*node.value, f) : give(Value());
  return Flow::return_;
}

Flow Interpreter::define(const core::Assign& node, Frame& f) {
  const Raw value = operand(*node.value, f);
  store(slot(node.slot, f), value);
  if (node.value->kind == core::ExprKind::make_closure) [[unlikely]] {
    const auto& closure = static_cast<const core::MakeClosure&>(*node.value);
    if (closure.definition && closure.function->derivative_of)
      attach_derivative(*closure.function, slot(node.slot, f), f);
  }
  return Flow::next;
}

// `@derivative(of=f) fn rule(…)`: from here on the variable that names f holds f with its rule.
void Interpreter::attach_derivative(const core::Function& function, const Value& rule, Frame& f) {
  const core::Expr& of = *function.derivative_of;
  Value target = value_of(of, f);
  if (!target.is(ObjectKind::function)) fail(row("derivative_target"), {what_is(target)}, {{of.span, ""}}, f);
  Value* place = nullptr;
  if (of.kind == core::ExprKind::local) place = &f.slots[static_cast<const core::Local&>(of).slot];
  if (of.kind == core::ExprKind::global) place = &f.globals[static_cast<const core::Global&>(of).slot];
  if (!place) fail(row("derivative_place"), {}, {{of.span, ""}}, f);
  try {
    *place = autodiff::attach_rule(std::move(target), rule);
  } catch (const OpError& error) {
    raise(error, of.span, {}, &f);
  }
}

// --- loops ---

Flow Interpreter::loop(const core::While& node, Frame& f) {
  while (condition(*node.condition, f)) {
    poll(f, node.condition->span);
    const Flow flow = execute(node.body, f);
    if (flow == Flow::break_) break;
    if (flow == Flow::return_) return flow;
  }
  return Flow::next;
}

namespace {

bool is_plain(const core::Target& target) { return target.kind == core::Target::Kind::path && target.steps.empty(); }

}  // namespace

Flow Interpreter::loop(const core::For& node, Frame& f) {
  const Value iterable = value_of(*node.iterable, f);
  if (iterable.is(ObjectKind::sequence) && is_plain(*node.target)) {
    if (const auto* range = dynamic_cast<const Range*>(&iterable.sequence())) return range_loop(node, *range, f);
  }
  const int64_t length = length_of(iterable, node.iterable->span, f);
  const Sequence* sequence = iterable.is(ObjectKind::sequence) ? &iterable.sequence() : nullptr;
  for (int64_t i = 0; i < length; ++i) {
    poll(f, node.iterable->span);
    if (sequence) sequence->step(i);
    Value item = item_of(iterable, i, node.iterable->span, f);
    assign(*node.target, std::move(item), node.iterable->span, f);
    const Flow flow = execute(node.body, f);
    if (flow == Flow::break_) return Flow::next;
    if (flow == Flow::return_) return flow;
  }
  if (sequence) sequence->step(length);
  return Flow::next;
}

Flow Interpreter::range_loop(const core::For& node, const Range& range, Frame& f) {
  const int64_t length = range.length();
  Value& target = slot(node.target->slot, f);
  const core::Stmt* const* const begin = node.body.data();
  const core::Stmt* const* const end = begin + node.body.size();
  int64_t item = range.start;
  for (int64_t i = 0; i < length; ++i, item = wrap_add(item, range.stride)) {
    poll(f, node.iterable->span);
    store(target, raw_i64(item));
    for (const core::Stmt* const* stmt = begin; stmt != end; ++stmt) {
      const Flow flow = execute(**stmt, f);
      if (flow == Flow::next) [[likely]]
        continue;
      if (flow == Flow::continue_) break;
      return flow == Flow::break_ ? Flow::next : flow;
    }
  }
  return Flow::next;
}

// --- the rest ---

void Interpreter::import(const core::Import& node, Frame& f) {
  Module& module = host_.import(node, *f.home->module);
  store(slot(node.slot, f), give(reference_to(&module)));
}

}  // namespace covec
