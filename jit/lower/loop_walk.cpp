#include "jit/lower/loop_walk.hpp"

#include <algorithm>

#include "jit/lower/chosen.hpp"
#include "jit/lower/graph/not_staged.hpp"
#include "jit/lower/optional.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/bodies/compare.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::ir {

namespace {

constexpr unsigned most_peeled = 2;
constexpr unsigned most_walks = 16;

bool is_certain(const ConditionalValue& conditional) {
  return conditional.whether.tag() == Tag::boolean && conditional.whether.boolean();
}

Value plus_one(ops::Builder& builder, const Value& number) {
  return ops::call(builder, ops::entry_of<ops::Add>(), {number, Value(int64_t{1})});
}

}  // namespace

// One walk of the loop, and what comes of it.
struct LoopWalk::Attempt {
  Attempt(GraphWriter& writer, Conversions& conversions, ConditionalValues& conditional_values)
      : tapes(conversions.context()), loop_carried(writer, conversions, conditional_values, tapes, operation, body) {}
  RegionTapes tapes;
  Operation operation;
  Region condition, body;
  LoopCarried loop_carried;
  Value trips;  // at the head, where a tape is open: how many iterations there have been
  Value goes_on;
  std::vector<Entries> entries;  // by tape
};

LoopWalk::LoopWalk(Regions& regions, ops::Builder& builder, GraphWriter& writer, Conversions& conversions,
                   ConditionalValues& conditional_values, unsigned& peeled, const Staging::Variables& variables,
                   LoopSource source)
    : regions_(regions),
      builder_(builder),
      writer_(writer),
      conversions_(conversions),
      conditional_values_(conditional_values),
      peeled_(peeled),
      variables_(variables),
      source_(std::move(source)),
      entry_(values_of(variables)),
      adjustments_(variables.size()),
      boxed_(variables.size(), false),
      likes_(variables.size(), Value::unbound()),
      zeroed_(variables.size(), false),
      optionals_(variables.size(), Value::unbound()),
      unread_(variables.size(), false) {}

void LoopWalk::start_over(GraphWriter::Position at) {
  writer_.rollback(at);
  put_back(variables_, entry_);
}

void LoopWalk::run() {
  GraphWriter::Position before = writer_.position();
  for (unsigned walk = 0; walk < most_walks; ++walk) {
    start_over(before);
    const bool zeros = fill_with_zeros(), lists = make_lists(), optionals = make_optionals();
    if (zeros || lists || optionals) before = writer_.position();
    first_walk_ = walk == 0;
    switch (attempt()) {
      case Outcome::done: return;
      case Outcome::again: break;
      case Outcome::peel:
        if (!may_peel()) not_staged("a second derivative through a loop whose first iteration is of another kind");
        start_over(before);
        return peel();
    }
  }
  not_staged("types that change from one iteration to the next");
}

// What an iteration of a reverse loop that is peeled off takes from the forward loop, another derivative would not find
// there.
bool LoopWalk::may_peel() const {
  return !source_.whole && (source_.adjoint_of == 0 || !RegionTapes(conversions_.context()).any());
}

// Before the loop: what a walk has shown to need zeros, and is perhaps there already. True when there was any.
bool LoopWalk::fill_with_zeros() {
  bool any = false;
  for (size_t i = 0; i < variables_.size(); ++i) {
    const ConditionalValue* const conditional = conditional_values_.find(entry_[i]);
    if (!zeroed_[i] || conditional == nullptr || conditional->absent == ConditionalValue::Absent::zeros) continue;
    entry_[i] = *variables_[i] =
        conditional_values_.hold(with_zeros(i, ConditionalValue(*conditional), conditional->value));
    any = true;
  }
  return any;
}

// Before the loop: lists that change their length in it are one value each.
bool LoopWalk::make_lists() {
  bool any = false;
  for (size_t i = 0; i < variables_.size(); ++i) {
    if (adjustments_[i].lists.empty() || entry_[i].is_unbound()) continue;
    entry_[i] = *variables_[i] = conversions_.with_lists(entry_[i], adjustments_[i].lists);
    adjustments_[i].lists.clear();
    any = true;
  }
  return any;
}

// Before the loop: what is none at one end of an iteration and something at the other may be none; what is one function
// here and another there is one of both.
bool LoopWalk::make_optionals() {
  bool any = false;
  for (size_t i = 0; i < variables_.size(); ++i) {
    if (optionals_[i].is_unbound()) continue;
    const Value like = std::exchange(optionals_[i], Value::unbound());
    const Chosen* const chosen = chosen_in(like);
    entry_[i] = *variables_[i] = chosen != nullptr ? conversions_.as_one_of(entry_[i], chosen->functions)
                                                   : conversions_.as_optional(entry_[i], like);
    any = true;
  }
  return any;
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
  enter(attempt.loop_carried);
  attempt.loop_carried.begin_variable();
  if (attempt.tapes.any()) attempt.trips = attempt.loop_carried.enter(Value(int64_t{0}), {});
  heads_ = values_of(variables_);
  if (source_.condition) walk_condition(attempt);
  const Outcome outcome = walk_body(attempt, index);
  if (outcome == Outcome::done) finish(attempt);
  return outcome;
}

void LoopWalk::walk_condition(Attempt& attempt) {
  const GraphWriter::InRegion inside(writer_, attempt.condition);
  const auto ask = [&] { attempt.condition.results = {source_.condition()}; };
  first_walk_ ? ask() : walk_conditionally(ask);
  put_back(variables_, heads_);
  const std::vector<Entries> without_derivative = attempt.tapes.cut();  // a bool has none
}

LoopWalk::Outcome LoopWalk::walk_body(Attempt& attempt, const Value& index) {
  const GraphWriter::InRegion inside(writer_, attempt.body);
  const auto pass = [&] { attempt.goes_on = source_.body(index); };
  const bool certain = first_walk_ && source_.count.tag() == Tag::i64 && source_.count.i64() > 0;
  certain ? pass() : walk_conditionally(pass);
  outs_ = values_of(variables_);
  const Outcome outcome = leave(attempt.loop_carried);
  attempt.entries = attempt.tapes.cut();  // a choice that the end of the iteration has made belongs to it
  if (outcome != Outcome::done) return outcome;
  if (attempt.tapes.any()) {
    LoopCarried::Adjustments none;
    attempt.loop_carried.leave(attempt.trips, plus_one(builder_, attempt.trips), none);
  }
  return Outcome::done;
}

// --- the head ---

void LoopWalk::enter(LoopCarried& loop_carried) {
  for (size_t i = 0; i < variables_.size(); ++i) {
    loop_carried.begin_variable();
    enter_variable(loop_carried, i);
  }
}

void LoopWalk::enter_variable(LoopCarried& loop_carried, size_t i) {
  Value& variable = *variables_[i];
  const ConditionalValue* const conditional = conditional_values_.find(variable);
  if (conditional != nullptr && conditional->whether.is_none()) not_staged("whether a variable has a value");
  const auto entered = [&](const Value& incoming) {
    return loop_carried.enter(boxed_[i] ? conversions_.box(incoming) : incoming, adjustments_[i]);
  };
  if (!variable.is_unbound() && zeroed_[i]) {
    Value value = entered(variable);
    variable = conditional_values_.hold(
        {std::move(value), loop_carried.enter(Value(true), {}), ConditionalValue::Absent::zeros});
  } else if (!variable.is_unbound()) {
    variable = entered(variable);
  } else if (conditional != nullptr || !likes_[i].is_unbound()) {
    Value value = conditional != nullptr ? entered(conditional->value)
                  : boxed_[i]            ? loop_carried.enter(conversions_.undefined_boxed(), adjustments_[i])
                  : zeroed_[i]           ? entered(source_.zeros(i, likes_[i]))
                                         : entered(conversions_.undefined_like(likes_[i]));
    const ConditionalValue::Absent absent = conditional != nullptr && !unread_[i] ? conditional->absent
                                            : zeroed_[i]                          ? ConditionalValue::Absent::zeros
                                                                                  : ConditionalValue::Absent::undefined;
    const Value whether = conditional != nullptr ? conditional->whether : Value(false);
    variable = conditional_values_.hold({std::move(value), loop_carried.enter(whether, {}), absent});
  }
}

// --- the end of an iteration ---

// Where a list becomes one value, what this walk has shown of other variables means little: they may come from it.
LoopWalk::Outcome LoopWalk::leave(LoopCarried& loop_carried) {
  const std::vector<bool> boxed = boxed_;
  const std::vector<Value> likes = likes_;
  const size_t known = lists();
  Outcome worst = Outcome::done;
  for (size_t i = 0; i < variables_.size(); ++i) {
    loop_carried.begin_variable();
    worst = std::max(worst, leave_variable(loop_carried, i));
  }
  if (lists() == known) return worst;
  boxed_ = boxed;
  likes_ = likes;
  return Outcome::again;
}

size_t LoopWalk::lists() const {
  size_t count = 0;
  for (const LoopCarried::Adjustments& adjustments : adjustments_) count += adjustments.lists.size();
  return count;
}

LoopWalk::Outcome LoopWalk::wrong_type(size_t i) {
  if (peeled_ < most_peeled && !boxed_[i]) return Outcome::peel;
  const bool transformed = conversions_.context().innermost != nullptr;
  if (transformed && outs_[i].is(ObjectKind::list)) fail(message("list_active"), {"the length"});
  if (boxed_[i] || transformed) not_staged("types that change from one iteration to the next");
  boxed_[i] = true;
  return Outcome::again;
}

// The first iteration has no tangents for what it is given, and those after it have: for a loop of numbers two kinds of
// passes are much less than a look, for each operation, whether there is a tangent.
bool LoopWalk::gets_tangents(const LoopCarried::Adjustments& before, const LoopCarried::Adjustments& now) const {
  if (peeled_ != 0 || !may_peel()) return false;
  return std::ranges::any_of(now.levels, [&](const auto& added) {
    const autodiff::OpenLevel* const open = autodiff::find_level(conversions_.context(), added.second);
    return !before.levels.contains(added) && open != nullptr && open->kind == TraceKind::jvp;
  });
}

LoopWalk::Outcome LoopWalk::leave_value(LoopCarried& loop_carried, size_t i, const Value& head, const Value& outgoing) {
  const LoopCarried::Adjustments before = adjustments_[i];
  const LoopCarried::Fit fit = loop_carried.leave(head, outgoing, adjustments_[i]);
  if (fit == LoopCarried::Fit::again && gets_tangents(before, adjustments_[i])) return Outcome::peel;
  switch (fit) {
    case LoopCarried::Fit::same: return Outcome::done;
    case LoopCarried::Fit::again: return Outcome::again;
    case LoopCarried::Fit::type: break;
  }
  return wrong_type(i);
}

LoopWalk::Outcome LoopWalk::leave_function(LoopCarried& loop_carried, size_t i, const Value& head, const Value& out) {
  const Chosen* const chosen = chosen_in(head);
  std::vector<Value> functions = functions_of(head, out);
  constexpr size_t most_functions = 64;  // those that are new in each walk would be twice as many after it
  if (functions.size() > most_functions) not_staged("a loop that chooses among more and more functions");
  if (chosen != nullptr && functions.size() == chosen->functions.size())
    return leave_value(loop_carried, i, head, conversions_.as_one_of(out, functions));
  optionals_[i] = chosen_of(Value(int64_t{0}), std::move(functions));
  return Outcome::again;
}

LoopWalk::Outcome LoopWalk::leave_variable(LoopCarried& loop_carried, size_t i) {
  const Value& head = heads_[i];
  const Value& out = outs_[i];
  if (!head.is_unbound() && !out.is_unbound()) {
    if (differ_as_functions(head, out)) return leave_function(loop_carried, i, head, out);
    if (optional_in(head) != nullptr) return leave_value(loop_carried, i, head, conversions_.as_optional(out, head));
    if (head.is_none() == out.is_none() && optional_in(out) == nullptr) return leave_value(loop_carried, i, head, out);
    const bool boxed =
        (writer_.is_boxed(head) && !is_list_symbol(head)) || (writer_.is_boxed(out) && !is_list_symbol(out));
    if (boxed) return leave_value(loop_carried, i, head, out);
    optionals_[i] = out.is_none() ? head : out;
    return Outcome::again;
  }
  if (!head.is_unbound()) {
    if (zeroed_[i] || !may_be_zeros(i, head)) return wrong_type(i);
    zeroed_[i] = true;
    return Outcome::again;
  }
  const ConditionalValue* const conditional_out = conditional_values_.find(out);
  const ConditionalValue left = conditional_out != nullptr ? *conditional_out
                                : out.is_unbound()         ? ConditionalValue()
                                                           : ConditionalValue{out, Value(true)};
  if (const ConditionalValue* const conditional_head = conditional_values_.find(head)) {
    const bool zeros = conditional_head->absent == ConditionalValue::Absent::zeros;
    // The head may be read where nothing is there, and what an iteration leaves may not.
    const bool less = conditional_head->absent == ConditionalValue::Absent::anything &&
                      left.absent == ConditionalValue::Absent::undefined && !is_certain(left);
    if (!zeros && (less || left.value.is_none()) && may_be_zeros(i, conditional_head->value)) {
      zeroed_[i] = true;
      return Outcome::again;
    }
    if (less) {
      unread_[i] = true;
      return Outcome::again;
    }
    const ConditionalValue at_end = zeros ? with_zeros(i, left, conditional_head->value) : left;
    const Outcome outcome = leave_value(loop_carried, i, conditional_head->value, at_end.value);
    if (outcome == Outcome::peel) return outcome;
    return std::max(outcome, leave_value(loop_carried, i, conditional_head->whether, at_end.whether));
  }
  if (is_undefined(out)) return Outcome::done;
  zeroed_[i] = may_be_zeros(i, left.value);
  if (source_.adjoint_of != 0 && !zeroed_[i] && may_peel()) return Outcome::peel;
  likes_[i] = left.value;
  return Outcome::again;
}

// A walk that has found out is taken back: what it appends to see does no harm.
bool LoopWalk::may_be_zeros(size_t i, const Value& like) {
  return source_.zeros != nullptr && !source_.zeros(i, like).is_none();
}

// A cotangent that is like this one, and zeros where it is not there.
ConditionalValue LoopWalk::with_zeros(size_t i, const ConditionalValue& left, const Value& like) {
  if (left.absent == ConditionalValue::Absent::zeros || is_certain(left)) return left;
  Value zeros = source_.zeros != nullptr ? source_.zeros(i, like) : Value();
  if (zeros.is_none()) not_staged("a cotangent that one path only has");
  if (left.value.is_none()) return {std::move(zeros), Value(false), ConditionalValue::Absent::zeros};
  Value value = Value::unbound();
  regions_.branch(
      left.whether, {&value}, [&] { value = left.value; }, [&] { value = std::move(zeros); });
  return {std::move(value), left.whether, ConditionalValue::Absent::zeros};
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
  set_variables(attempt.loop_carried);
  const Value trips = attempt.tapes.any() ? trips_of(attempt) : Value();
  if (source_.condition) add_condition(attempt);
  const uint32_t serial = attempt.body.serial;
  operation.regions.push_back(std::move(attempt.body));
  writer_.append(std::move(operation));
  AdjointRecorder(builder_, writer_, regions_)
      .record_loop(attempt.tapes, trips, std::move(attempt.entries), serial, source_.adjoint_of);
}

// How many iterations there were. A counted loop that no iteration leaves need not count; but where the count is a
// constant, the reverse loop would know that it has a first iteration, and that one would have no region of its own to
// bring residuals to.
Value LoopWalk::trips_of(Attempt& attempt) {
  if (source_.condition || attempt.operation.exits || !is_symbol(source_.count))
    return attempt.loop_carried.after(attempt.trips);
  return ops::call(builder_, ops::entry_of<ops::Maximum>(), {source_.count, Value(int64_t{0})});
}

void LoopWalk::set_variables(LoopCarried& loop_carried) {
  for (size_t i = 0; i < variables_.size(); ++i) {
    if (const ConditionalValue* conditional = conditional_values_.find(heads_[i])) {
      Value value = loop_carried.after(conditional->value);
      *variables_[i] =
          conditional_values_.hold({std::move(value), loop_carried.after(conditional->whether), conditional->absent});
    } else {
      *variables_[i] = loop_carried.after(heads_[i]);
    }
  }
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
    LoopWalk(regions_, builder_, writer_, conversions_, conditional_values_, peeled_, variables_, std::move(others))
        .run();
  };
  const AdjointOf paths{source_.adjoint_of, 0, source_.sweep};
  const auto first = [&] {
    const Value goes_on = source_.body(source_.condition ? Value() : Value(int64_t{0}));
    if (goes_on.is_none()) return rest();
    regions_.branch(
        goes_on, variables_, rest, [] {}, paths);
  };
  const Value any = source_.condition
                        ? source_.condition()
                        : ops::call(builder_, ops::entry_of<ops::Less>(), {Value(int64_t{0}), source_.count});
  regions_.branch(
      any, variables_, first, [] {}, paths);
}

}  // namespace covec::ir
