#include "jit/lower/loop_walk.hpp"

#include <algorithm>

#include "jit/lower/graph/not_staged.hpp"
#include "jit/lower/region_adjoint.hpp"
#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/bodies/compare.hpp"
#include "stdlib/ops/elementwise/operator.hpp"

namespace covec::ir {

namespace {

constexpr unsigned max_walks = 16;  // until the types of what a loop carries stay

Value plus_one(ops::Builder& builder, const Value& number) {
  return ops::call(builder, ops::entry_of<ops::Add>(), {number, Value(int64_t{1})});
}

}  // namespace

void walk_conditionally(FunctionRef<void()> path) {
  try {
    path();
  } catch (BatchedControl& control) {
    control.conditional = true;
    throw;
  }
}

// One walk of the loop, and what comes of it.
struct LoopWalk::Attempt {
  Attempt(GraphWriter& writer, Conversions& conversions, ConditionalValues& conditional_values)
      : tapes(conversions.context()), loop_carried(writer, conversions, conditional_values, tapes, operation, body) {}
  RegionTapes tapes;
  Operation operation;
  Region condition, body;
  LoopCarried loop_carried;
  Value trip_count;  // at the head, where a tape is open: how many iterations there have been
  Value goes_on;
  std::vector<Entries> entries;  // by tape
  std::vector<autodiff::RuleUse> rules_of_condition;
};

LoopWalk::LoopWalk(ControlFlow& control_flow, AdjointRecorder& adjoints, ops::Builder& builder, GraphWriter& writer,
                   Conversions& conversions, ConditionalValues& conditional_values, unsigned& peeled,
                   const Staging::Variables& variables, LoopSource source)
    : control_flow_(control_flow),
      adjoints_(adjoints),
      builder_(builder),
      writer_(writer),
      conversions_(conversions),
      conditional_values_(conditional_values),
      peeled_(peeled),
      variables_(variables),
      source_(std::move(source)),
      carried_(control_flow, writer, conversions, conditional_values, peeled, variables, source_) {}

void LoopWalk::start_over(GraphWriter::Position at) {
  writer_.rollback(at);
  carried_.put_back();
}

void LoopWalk::run() {
  GraphWriter::Position before = writer_.position();
  for (unsigned walk = 0; walk < max_walks; ++walk) {
    start_over(before);
    if (carried_.prepare()) before = writer_.position();
    first_walk_ = walk == 0;
    switch (attempt()) {
      case Outcome::done: return;
      case Outcome::again: break;
      case Outcome::peel:
        if (!may_peel(source_, conversions_.context()))
          not_staged("a second derivative through a loop whose first iteration has other types");
        start_over(before);
        return peel();
    }
  }
  not_staged("types that change between iterations");
}

// --- a walk ---

LoopWalk::Outcome LoopWalk::attempt() {
  Graph& graph = writer_.graph();
  Attempt attempt(writer_, conversions_, conditional_values_);
  attempt.operation.kind = source_.condition ? Kind::while_ : Kind::for_;
  attempt.body.serial = ++graph.regions;
  attempt.body.adjoint_of = source_.adjoint_of;
  attempt.body.sweep = source_.sweep;
  attempt.body.memory = source_.memory;
  writer_.note_region(attempt.body);
  Value index;
  if (!source_.condition) {
    attempt.operation.args.push_back(source_.count);
    attempt.body.parameters.push_back(graph.add(Type{Dtype::i64, {}}, "i"));
    index = graph.symbol(attempt.body.parameters[0]);
  }
  carried_.enter(attempt.loop_carried);
  attempt.loop_carried.begin_variable();
  if (attempt.tapes.any()) attempt.trip_count = attempt.loop_carried.enter(Value(int64_t{0}), {});
  if (source_.condition) walk_condition(attempt);
  const Outcome outcome = walk_body(attempt, index);
  if (outcome == Outcome::done) finish(attempt);
  return outcome;
}

void LoopWalk::walk_condition(Attempt& attempt) {
  const GraphWriter::InRegion inside(writer_, attempt.condition);
  const auto ask = [&] { attempt.condition.results = {source_.condition()}; };
  first_walk_ ? ask() : walk_conditionally(ask);
  carried_.put_back_heads();
  const std::vector<Entries> without_derivative = attempt.tapes.cut();  // a bool has none
  for (const Entries& entries : without_derivative) attempt.rules_of_condition.push_back(rule_use_of(entries));
  // The sweep of another rank passes these collectives in each iteration (autodiff/collectives.hpp).
  if (std::ranges::any_of(without_derivative, any_meets))
    not_staged("a collective in the condition of a loop, in a derivative");
}

LoopWalk::Outcome LoopWalk::walk_body(Attempt& attempt, const Value& index) {
  const GraphWriter::InRegion inside(writer_, attempt.body);
  const auto pass = [&] { attempt.goes_on = source_.body(index); };
  const bool certain = first_walk_ && source_.count.tag() == Tag::i64 && source_.count.i64() > 0;
  certain ? pass() : walk_conditionally(pass);
  const Outcome outcome = carried_.leave(attempt.loop_carried);
  attempt.entries = attempt.tapes.cut();  // a choice that the end of the iteration has made belongs to it
  if (outcome != Outcome::done) return outcome;
  if (attempt.tapes.any()) {
    LoopCarried::Adjustments none;
    attempt.loop_carried.leave(attempt.trip_count, plus_one(builder_, attempt.trip_count), none);
  }
  return Outcome::done;
}

// --- the operation ---

void LoopWalk::finish(Attempt& attempt) {
  Operation& operation = attempt.operation;
  operation.exits = !attempt.goes_on.is_none();
  if (operation.exits) attempt.body.results.push_back(attempt.goes_on);
  const size_t first = source_.condition ? 0 : 1;
  for (size_t i = first; i < attempt.body.parameters.size(); ++i) {
    operation.results.push_back(writer_.graph().add_like(attempt.body.parameters[i]));
  }
  attempt.tapes.set_base();
  carried_.leave_loop(attempt.loop_carried);
  const Value trip_count = attempt.tapes.any() ? trip_count_of(attempt) : Value();
  if (source_.condition) add_condition(attempt);
  const uint32_t serial = attempt.body.serial;
  operation.regions.push_back(std::move(attempt.body));
  writer_.append(std::move(operation));
  adjoints_.record_loop(attempt.tapes, trip_count, std::move(attempt.entries), serial, source_.adjoint_of);
  adjoints_.record_condition(attempt.tapes, attempt.rules_of_condition);
}

// How many iterations there were. A counted loop that no iteration leaves need not count; but where the count is a
// constant, the reverse loop would know that it has a first iteration, and that one would have no region of its own to
// bring residuals to.
Value LoopWalk::trip_count_of(Attempt& attempt) {
  if (source_.condition || attempt.operation.exits || !is_symbol(source_.count))
    return attempt.loop_carried.after(attempt.trip_count);
  return ops::call(builder_, ops::entry_of<ops::Maximum>(), {source_.count, Value(int64_t{0})});
}

// The condition's parameters are its own.
void LoopWalk::add_condition(Attempt& attempt) {
  Graph& graph = writer_.graph();
  std::map<Id, Id> own;
  for (const Id id : attempt.body.parameters) {
    own[id] = graph.add_like(id);
    attempt.condition.parameters.push_back(own[id]);
  }
  rename(
      attempt.condition, [&](Id id) { return own.contains(id) ? own[id] : id; }, graph);
  attempt.operation.regions.push_back(std::move(attempt.condition));
}

// --- the first iteration by itself, then the others ---

void LoopWalk::peel() {
  struct Deeper {
    unsigned& depth;
    explicit Deeper(unsigned& d) : depth(d) { ++depth; }
    ~Deeper() { --depth; }
  } const deeper(peeled_);
  const auto rest = [&] {
    LoopSource others = source_;
    others.body = [&](const Value& index) { return source_.body(index.is_none() ? index : plus_one(builder_, index)); };
    if (!source_.condition) {
      others.count = ops::call(builder_, ops::entry_of<ops::Subtract>(), {source_.count, Value(int64_t{1})});
    }
    LoopWalk(control_flow_, adjoints_, builder_, writer_, conversions_, conditional_values_, peeled_, variables_,
             std::move(others))
        .run();
  };
  const AdjointOf paths{source_.adjoint_of, 0, source_.sweep};
  const auto first = [&] {
    const Value goes_on = source_.body(source_.condition ? Value() : Value(int64_t{0}));
    if (goes_on.is_none()) return rest();
    control_flow_.branch(
        goes_on, variables_, rest, [] {}, paths);
  };
  const Value any = source_.condition
                        ? source_.condition()
                        : ops::call(builder_, ops::entry_of<ops::Less>(), {Value(int64_t{0}), source_.count});
  control_flow_.branch(
      any, variables_, first, [] {}, paths);
}

}  // namespace covec::ir
