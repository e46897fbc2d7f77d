// execute() only dispatches: each statement has a function of its own.
#include "interpreter/eval/walk/statements.hpp"

#include "interpreter/eval/walk/parts.hpp"

#include "interpreter/eval/apply/iteration.hpp"
#include "interpreter/eval/report/caught_errors.hpp"
#include "interpreter/eval/report/hints.hpp"
#include "interpreter/eval/values/new_values.hpp"
#include "interpreter/eval/values/store.hpp"
#include "interpreter/eval/walk/assertions.hpp"
#include "interpreter/eval/walk/definitions.hpp"
#include "interpreter/eval/walk/updates.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/autodiff/pattern.hpp"

namespace covec {

Flow Statements::run(const core::Stmt& stmt, Frame& f) {
  try {
    return execute(stmt, f);
  } catch (...) {
    parts_.reporter.raise(current_error(), stmt.span, {}, &f);
  }
}

Flow Statements::execute(const core::Block& block, Frame& f) {
  for (const core::Stmt* stmt : block) {
    const Flow flow = execute(*stmt, f);
    if (flow != Flow::next) return flow;
  }
  return Flow::next;
}

namespace {

constexpr uint8_t plain(core::StmtKind kind) { return static_cast<uint8_t>(kind); }
constexpr uint8_t marked(core::StmtKind kind) { return plain(kind) | core::Stmt::marked; }

}  // namespace

Flow Statements::execute(const core::Stmt& stmt, Frame& f) {
  using enum core::StmtKind;
  switch (stmt.way) {
    case marked(update_path): f.at = &stmt; [[fallthrough]];
    case plain(update_path): return parts_.updates.update(static_cast<const core::UpdatePath&>(stmt), f);
    case marked(assign): f.at = &stmt; [[fallthrough]];
    case plain(assign): return define(static_cast<const core::Assign&>(stmt), f);
    case marked(if_): f.at = &stmt; [[fallthrough]];
    case plain(if_): return execute_if(static_cast<const core::If&>(stmt), f);
    case marked(return_): f.at = &stmt; [[fallthrough]];
    case plain(return_): return execute_return(static_cast<const core::Return&>(stmt), f);
    case marked(for_): f.at = &stmt; [[fallthrough]];
    case plain(for_): return loop(static_cast<const core::For&>(stmt), f);
    case marked(while_): f.at = &stmt; [[fallthrough]];
    case plain(while_): return loop(static_cast<const core::While&>(stmt), f);
    case marked(break_):
    case plain(break_): return Flow::break_;
    case marked(continue_):
    case plain(continue_): return Flow::continue_;
    default: return execute_rest(stmt, f);
  }
}

Flow Statements::execute_rest(const core::Stmt& stmt, Frame& f) {
  if (stmt.is_marked()) f.at = &stmt;
  switch (stmt.kind) {
    case core::StmtKind::try_: return execute_try(static_cast<const core::Try&>(stmt), f);
    case core::StmtKind::evaluate:
      own(parts_.expressions.evaluate(*static_cast<const core::Evaluate&>(stmt).value, f));
      break;
    case core::StmtKind::push: parts_.updates.push(static_cast<const core::Push&>(stmt), f); break;
    case core::StmtKind::assert_: parts_.assertions.check(static_cast<const core::Assert&>(stmt), f); break;
    case core::StmtKind::import: {
      const auto& node = static_cast<const core::Import&>(stmt);
      parts_.applier.set_site(node.span);
      store(slot_of(node.slot, f), give(reference_to(&parts_.host.import(node, *f.source_unit->module))));
      break;
    }
    case core::StmtKind::destructure: {
      const auto& node = static_cast<const core::Destructure&>(stmt);
      const Value value = parts_.expressions.value_of(*node.value, f);
      parts_.updates.unpack(value, *node.target, node.value->span, f);
      break;
    }
    default: break;
  }
  return Flow::next;
}

namespace {

// The innermost vmap that is open, 0 where none is.
uint64_t open_batch(const ops::Context& context) {
  const autodiff::OpenLevel* level = context.innermost;
  while (level != nullptr && level->kind != TraceKind::batch) level = level->outer;
  return level == nullptr ? 0 : level->level;
}

}  // namespace

// An error among examples that run all at once is one example's, or some's: they run again one by one.
Flow Statements::execute_try(const core::Try& node, Frame& f) {
  Value caught;
  try {
    const autodiff::TryScope tried(parts_.stack.context());
    for (const core::Stmt* stmt : node.body) {
      const Flow flow = run(*stmt, f);
      if (flow != Flow::next) return flow;
    }
    return Flow::next;
  } catch (const CovecError& error) {
    if (!CaughtErrors::may_catch(error)) throw;
    if (const uint64_t level = open_batch(parts_.stack.context())) throw BatchedControl{level};
    caught = parts_.caught.record_of(error);
    parts_.saved_frames.forget();
  }
  if (node.target != nullptr) store(slot_of(node.target->slot, f), give(std::move(caught)));
  return execute(node.handler, f);
}

Flow Statements::execute_if(const core::If& node, Frame& f) {
  const core::Block& block = parts_.expressions.condition(*node.condition, f) ? node.then : node.otherwise;
  for (const core::Stmt* stmt : block) {
    const Flow flow = execute(*stmt, f);
    if (flow != Flow::next) return flow;
  }
  renew_assigned(node, parts_.stack.context(), f);
  return Flow::next;
}

Flow Statements::execute_return(const core::Return& node, Frame& f) {
  f.result = node.value ? parts_.operators.operand(*node.value, f) : give(Value());
  return Flow::return_;
}

Flow Statements::define(const core::Assign& node, Frame& f) {
  const Raw value = parts_.operators.operand(*node.value, f);
  store(slot_of(node.slot, f), value);
  if (node.value->kind == core::ExprKind::make_closure) [[unlikely]] {
    const auto& closure = static_cast<const core::MakeClosure&>(*node.value);
    if (closure.definition && closure.function->derivative_of)
      parts_.definitions.attach_derivative(*closure.function, slot_of(node.slot, f), f);
  }
  return Flow::next;
}

// --- loops ---

// Variables are renewed at the head of each iteration, and behind the loop.
Flow Statements::loop(const core::While& node, Frame& f) {
  const ops::Context& context = parts_.stack.context();
  if (const autodiff::OpenLevel* const level = BoundedLoops::bound_of(context, f)) return bounded(*level, node, f);
  int64_t number = 1;
  try {
    for (;; ++number) {
      renew_assigned(node, context, f);
      if (!parts_.expressions.condition(*node.condition, f)) return Flow::next;
      parts_.stack.poll(f, node.condition->span);
      const Flow flow = execute(node.body, f);
      if (flow == Flow::break_) break;
      if (flow == Flow::return_) return flow;
      if (node.is_marked()) [[unlikely]]
        f.at = &node;  // its condition
    }
  } catch (CovecError& error) {
    parts_.reporter.note_iteration(error, node.span, number);
    throw;
  }
  renew_assigned(node, context, f);
  return Flow::next;
}

namespace {

bool is_plain(const core::Target& target) { return target.kind == core::Target::Kind::path && target.steps.empty(); }

}  // namespace

Flow Statements::loop(const core::For& node, Frame& f) {
  const autodiff::OpenLevel* const level = BoundedLoops::bound_of(parts_.stack.context(), f);
  const Flow flow = level != nullptr ? bounded(*level, node, f) : run_iterations(node, f);
  if (flow == Flow::next) renew_assigned(node, parts_.stack.context(), f);
  return flow;
}

// Of a record or map it takes the names; an error in it may come of that.
Flow Statements::run_iterations(const core::For& node, Frame& f) {
  const Value iterable = parts_.expressions.value_of(*node.iterable, f);
  if (!has_named_children(iterable)) return run_iterations(node, iterable, f);
  try {
    return run_iterations(node, Iteration::walked(iterable), f);
  } catch (CovecError& error) {
    hint_at_names(parts_.reporter, *node.target, node.iterable->span, iterable, error);
    throw;
  }
}

Flow Statements::run_iterations(const core::For& node, const Value& iterable, Frame& f) {
  if (iterable.is(ObjectKind::sequence) && is_plain(*node.target)) {
    if (const auto* range = dynamic_cast<const Range*>(&iterable.sequence())) return range_loop(node, *range, f);
  }
  if (iterable.is(ObjectKind::string) && is_plain(*node.target)) return text_loop(node, iterable.string(), f);
  const int64_t length = parts_.iteration.known_length_of(iterable, node.iterable->span, f);
  const Sequence* sequence = iterable.is(ObjectKind::sequence) ? &iterable.sequence() : nullptr;
  int64_t i = 0;
  try {
    for (; i < length; ++i) {
      parts_.stack.poll(f, node.iterable->span);
      renew_assigned(node, parts_.stack.context(), f);
      if (sequence) sequence->step(i);
      Value item = parts_.iteration.item_of(iterable, i, node.iterable->span, f);
      parts_.updates.assign(*node.target, std::move(item), node.iterable->span, f);
      const Flow flow = execute(node.body, f);
      if (flow == Flow::break_) return Flow::next;
      if (flow == Flow::return_) return flow;
    }
  } catch (CovecError& error) {
    parts_.reporter.note_iteration(error, node.span, i + 1);
    throw;
  }
  if (sequence) sequence->step(length);
  return Flow::next;
}

// What an iteration needs is copied into it: it may be made again when the loop has long been left.
Flow Statements::bounded(const autodiff::OpenLevel& level, const core::While& node, Frame& f) {
  const auto run_iteration = [this, &node](BoundedLoops::Number& number, Frame& frame) {
    renew_assigned(node, parts_.stack.context(), frame);
    number.ended = !parts_.expressions.condition(*node.condition, frame);
    if (number.ended) return Flow::next;
    parts_.stack.poll(frame, node.condition->span);
    return execute(node.body, frame);
  };
  const Flow flow = parts_.bounded_loops.run(parts_.applier.builder().context(), level, INT64_MAX, run_iteration, f);
  if (flow == Flow::next) renew_assigned(node, parts_.stack.context(), f);
  return flow;
}

Flow Statements::bounded(const autodiff::OpenLevel& level, const core::For& node, Frame& f) {
  const Value iterable = parts_.iteration.walked(parts_.expressions.value_of(*node.iterable, f));
  const Sequence* const sequence = iterable.is(ObjectKind::sequence) ? &iterable.sequence() : nullptr;
  const auto* const range = dynamic_cast<const Range*>(sequence);
  const int64_t length =
      range != nullptr ? iterations_of(*range) : parts_.iteration.known_length_of(iterable, node.iterable->span, f);
  const auto run_iteration = [this, &node, iterable](const BoundedLoops::Number& number, Frame& frame) {
    const Span& place = node.iterable->span;
    parts_.stack.poll(frame, place);
    renew_assigned(node, parts_.stack.context(), frame);
    if (iterable.is(ObjectKind::sequence) && !number.again) iterable.sequence().step(number.number);
    parts_.updates.assign(*node.target, parts_.iteration.item_of(iterable, number.number, place, frame), place, frame);
    return execute(node.body, frame);
  };
  const Flow flow = parts_.bounded_loops.run(parts_.applier.builder().context(), level, length, run_iteration, f);
  if (sequence != nullptr && flow == Flow::next) sequence->step(length);
  return flow;
}

Flow Statements::text_loop(const core::For& node, const String& text, Frame& f) {
  Value& target = slot_of(node.target->slot, f);
  const int64_t length = text.length();
  int64_t i = 0;
  try {
    for (; i < length; ++i) {
      parts_.stack.poll(f, node.iterable->span);
      renew_assigned(node, parts_.stack.context(), f);
      store(target, give(parts_.iteration.character(text, i)));
      const Flow flow = execute(node.body, f);
      if (flow == Flow::break_) return Flow::next;
      if (flow == Flow::return_) return flow;
    }
  } catch (CovecError& error) {
    parts_.reporter.note_iteration(error, node.span, i + 1);
    throw;
  }
  return Flow::next;
}

Flow Statements::range_loop(const core::For& node, const Range& range, Frame& f) {
  const int64_t length = iterations_of(range);
  const auto stride = static_cast<uint64_t>(range.stride);
  Value& target = slot_of(node.target->slot, f);
  const core::Stmt* const* const begin = node.body.data();
  const core::Stmt* const* const end = begin + node.body.size();
  const Span& place = node.iterable->span;
  CallStack& stack = parts_.stack;
  const ops::Context& context = stack.context();
  auto item = static_cast<uint64_t>(range.start);  // past the last one it may wrap
  int64_t left = length;
  try {
    for (; left > 0; --left, item += stride) {
      stack.poll(f, place);
      renew_assigned(node, context, f);
      store(target, raw_i64(static_cast<int64_t>(item)));
      for (const core::Stmt* const* stmt = begin; stmt != end; ++stmt) {
        const Flow flow = execute(**stmt, f);
        if (flow == Flow::next) [[likely]]
          continue;
        if (flow == Flow::continue_) break;
        return flow == Flow::break_ ? Flow::next : flow;
      }
    }
  } catch (CovecError& error) {
    parts_.reporter.note_iteration(error, node.span, length - left + 1);
    throw;
  }
  return Flow::next;
}

}  // namespace covec
