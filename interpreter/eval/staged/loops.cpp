// Stages loops. The hard part is the end of an iteration: each of its paths may go on, break or return. So an iteration
// gives whether to go on, and leaves in exit.flow whether to return. Either may be a value that only the run has.
#include "interpreter/eval/staged/loops.hpp"

#include "interpreter/eval/staged/parts.hpp"

#include "interpreter/eval/report/messages.hpp"
#include "interpreter/eval/values/new_values.hpp"
#include "interpreter/eval/walk/updates.hpp"
#include "stdlib/ops/contract/handles.hpp"

namespace covec {

using eval::row;

// A loop with statements that must be interpreted is interpreted as a whole: going to and fro in each iteration costs
// more.
class StagedLoops::Whole {
 public:
  explicit Whole(const Staging& staging) : staging_(staging), before_(staging.unstaged()) {}
  // For the reason that the first statement in it could not be staged: what that leaves may stop others.
  void check(const Reporter& reporter, Span span, const Frame& f) const {
    if (staging_.unstaged() > before_) {
      reporter.fail(row("loop_not_staged"), {staging_.why_unstaged(before_)}, {{span, ""}}, f);
    }
  }

 private:
  const Staging& staging_;
  const size_t before_;
};

// One iteration: whether to go on (none: always), and exit.flow is next or return_ afterwards.
Value StagedLoops::run_iteration(const core::Block& body, const Walk& walk, Frame& f) {
  f.exit->flow = flow_number(Flow::next);
  if (!may_return(body)) f.exit->result = Value::unbound();  // what an earlier walk has left there means nothing
  const Flow flow = walk(body);
  if (flow == Flow::next || flow == Flow::continue_) {
    f.exit->flow = flow_number(Flow::next);
    return Value();
  }
  if (flow == Flow::break_ || flow == Flow::return_) {
    f.exit->flow = flow_number(flow == Flow::return_ ? flow : Flow::next);
    return Value(false);
  }
  const Value next = parts_.paths.is_flow(f.exit->flow, Flow::next, f);
  const Value again = parts_.paths.is_flow(f.exit->flow, Flow::continue_, f);
  Value goes_on = parts_.paths.either_of(next, again, f);
  const Value returned = parts_.paths.is_flow(f.exit->flow, Flow::return_, f);
  Value choice[3] = {returned, flow_number(Flow::return_), flow_number(Flow::next)};
  f.exit->flow = parts_.walk.applier.call(ops::handles().where, choice, Span(), f);
  return goes_on;
}

// What a return inside the loop means.
Flow StagedLoops::after(const core::Region& loop, Frame& f) const {
  renew_assigned(loop, parts_.walk.applier.builder().context(), f);
  if (!may_return(loop)) {  // what is left there belongs to the last iteration
    f.exit->flow = flow_number(Flow::next);
    f.exit->result = Value::unbound();
  }
  if (is_known_flow(f.exit->flow)) return static_cast<Flow>(f.exit->flow.i64());
  return Flow::staged;
}

Flow StagedLoops::loop(const core::While& node, const Walk& walk, Frame& f) {
  const Whole whole(*parts_.walk.applier.staging());
  f.exit->flow = flow_number(Flow::next);
  parts_.walk.applier.staging()->loop(
      parts_.paths.variables_of(node, f),
      [&] {
        renew_assigned(node, parts_.walk.applier.builder().context(), f);
        parts_.walk.applier.staging()->passes({StagedStep::Moment::before, node, f.closure->function, f.slots});
        return parts_.choices.condition(*node.condition, f);
      },
      [&] {
        renew_assigned(node, parts_.walk.applier.builder().context(), f);
        return run_iteration(node.body, walk, f);
      });
  whole.check(parts_.walk.reporter, node.span, f);
  return after(node, f);
}

Flow StagedLoops::loop(const core::For& node, const Walk& walk, Frame& f) {
  Staging& staging = *parts_.walk.applier.staging();
  const Value iterable = parts_.walk.expressions.value_of(*node.iterable, f);
  const Span span = node.iterable->span;
  f.exit->flow = flow_number(Flow::next);
  const Whole whole(staging);
  const StagedItems items = parts_.lists.items(iterable, span, f);
  const bool known = items.count.tag() == Tag::i64;
  if (known && items.count.i64() == 0) return Flow::next;
  const bool few = known && items.count.i64() <= StagedItems::longest_unrolled;
  if (items.unrolled || (known && items.count.i64() == 1)) {  // one iteration is no loop
    if (!few) parts_.walk.reporter.stop_staging("a loop over a long list", span, f);
    return iteration_for_each(node, items, 0, walk, f);
  }
  const auto repeat = [&] {
    staging.repeat(items.count, parts_.paths.variables_of(node, f), [&](const Value& index) {
      renew_assigned(node, parts_.walk.applier.builder().context(), f);
      parts_.walk.updates.assign(*node.target, items.at(index), span, f);
      staging.passes({StagedStep::Moment::bound, node, f.closure->function, f.slots});
      return run_iteration(node.body, walk, f);
    });
  };
  if (!few || staging.may_interpret()) {
    repeat();
  } else if (!attempt(repeat, f)) {
    return iteration_for_each(node, items, 0, walk, f);
  }
  whole.check(parts_.walk.reporter, node.span, f);
  return after(node, f);
}

// False where a list of active values grows, or is asked for an item that only the run can find:
// what the walk has done is rolled back. With an iteration for each index such a list is a tree like others.
bool StagedLoops::attempt(FunctionRef<void()> walk, Frame& f) const {
  const StagedPoint before(*parts_.walk.applier.staging(), f);
  try {
    walk();
    return true;
  } catch (const CovecError& error) {
    if (error.diagnostics.front().kind != ErrorKind::list_active) throw;
  } catch (const OpError& error) {
    if (error.kind != ErrorKind::list_active) throw;
  }
  before.rollback();
  return false;
}

// Items that may be of different types have an iteration each.
Flow StagedLoops::iteration_for_each(const core::For& node, const StagedItems& items, int64_t number, const Walk& walk,
                                     Frame& f) {
  for (; number < items.count.i64(); ++number) {
    renew_assigned(node, parts_.walk.applier.builder().context(), f);
    parts_.walk.updates.assign(*node.target, items.at(Value(number)), node.iterable->span, f);
    parts_.walk.applier.staging()->passes({StagedStep::Moment::bound, node, f.closure->function, f.slots});
    const Value goes_on = run_iteration(node.body, walk, f);
    if (goes_on.is_none()) continue;
    if (goes_on.tag() == Tag::boolean) {
      if (goes_on.boolean()) continue;
      return after(node, f);
    }
    return parts_.paths.either(
        goes_on, f, [&] { return iteration_for_each(node, items, number + 1, walk, f); },
        [&] { return after(node, f); });
  }
  renew_assigned(node, parts_.walk.applier.builder().context(), f);
  return Flow::next;
}

}  // namespace covec
