// Branches and loops. A loop is walked until what it carries has stable types: the extents of a carried tensor may
// change (then the head's are the tensor's own), a number may turn out to be active, and where a pass
// changes a type the first pass is peeled off, or, past most_peeled, the value boxed.
#include <algorithm>

#include "jit/lower/derivative.hpp"
#include "jit/lower/join.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/ops/pointwise.hpp"
#include "stdlib/ops/pointwise/arithmetic.hpp"
#include "stdlib/ops/pointwise/compare.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ir {

namespace {

constexpr unsigned most_peeled = 2;
constexpr unsigned most_walks = 16;

}  // namespace

Value Stager::undefined_like(const Value& like) {
  if (like.is_traced()) {
    const Traced& traced = like.traced();
    Value primal = undefined_like(traced.primal);
    if (traced.trace == TraceKind::batch) return autodiff::make_batch(traced.level, std::move(primal));
    if (traced.trace == TraceKind::tape) return primal;
    return autodiff::make_jvp(traced.level, std::move(primal),
                              traced.tangent.is_none() ? Value() : undefined_like(traced.tangent));
  }
  if (is_leaf(like)) {
    Operation operation;
    operation.kind = Kind::undefined;
    if (is_list_symbol(like)) return list_result(std::move(operation), items_of(like));
    const bool boxed = is_symbol(like) && graph_.values[id_of(like)].boxed;
    Value result = boxed ? boxed_result_of(operation) : result_of(operation, logical_type(like));
    append(std::move(operation));
    return result;
  }
  if (!is_compound(like)) return like;
  return map_parts(like, [&](const Value& part) { return undefined_like(part); });
}

// --- cotangents that some paths have ---

void Stager::unbound_where_absent(const Variables& variables) const {
  for (Value* variable : variables) {
    if (variable->is_none()) *variable = Value::unbound();
  }
}

void Stager::none_where_absent(const Variables& variables) const {
  for (Value* variable : variables) {
    if (variable->is_unbound() && !maybes_.contains(variable)) *variable = Value();
  }
}

void Stager::move_cotangent(Value& from, Value& to) {
  to = std::move(from);
  from = Value();
  if (const auto maybe = maybes_.find(&from); to.is_unbound() && maybe != maybes_.end()) {
    maybes_[&to] = maybe->second;
    maybes_.erase(&from);
  }
}

void Stager::where_present(Value& cotangent, std::span<Value* const> others, const std::function<void()>& pass) {
  const auto maybe = maybes_.find(&cotangent);
  if (maybe == maybes_.end()) {
    cotangent = Value();
    return;
  }
  const Maybe held = maybe->second;
  maybes_.erase(maybe);
  cotangent = Value();
  Variables variables;
  for (Value* other : others) {
    if (other != &cotangent && std::find(variables.begin(), variables.end(), other) == variables.end()) {
      variables.push_back(other);
    }
  }
  unbound_where_absent(variables);
  branch(
      held.whether, variables,
      [&] {
        none_where_absent(variables);
        cotangent = held.value;
        pass();
        cotangent = Value();
        unbound_where_absent(variables);
      },
      [] {});
  none_where_absent(variables);
}

Value Stager::completed(const Value& cotangent, const std::function<Value(Value)>& with) {
  const auto maybe = maybes_.find(&cotangent);
  if (!cotangent.is_unbound() || maybe == maybes_.end()) return with(cotangent.is_unbound() ? Value() : cotangent);
  const Maybe held = maybe->second;
  Value result = Value::unbound();
  branch(
      held.whether, {&result}, [&] { result = with(held.value); }, [&] { result = with(Value()); });
  maybes_.erase(&cotangent);
  return result;
}

Value Stager::is_present(const Value& cotangent) {
  const auto maybe = maybes_.find(&cotangent);
  if (!cotangent.is_unbound() || maybe == maybes_.end()) return Builder::is_present(cotangent);
  return maybe->second.whether;
}

// --- branches ---

void Stager::branch(const Value& condition, const Variables& variables, const std::function<void()>& then,
                    const std::function<void()>& otherwise) {
  branch_back(condition, variables, then, otherwise, {});
}

void Stager::branch_back(const Value& condition, const Variables& variables, const std::function<void()>& then,
                         const std::function<void()>& otherwise, AdjointOf adjoint_of) {
  if (condition.tag() == Tag::boolean) return condition.boolean() ? then() : otherwise();
  const Saved before = save(variables);
  RegionTape tape(*this);
  Operation operation;
  operation.kind = Kind::if_;
  operation.args = {condition};
  Region regions[2];
  Saved after[2];
  Entries entries[2];
  for (unsigned path = 0; path < 2; ++path) {
    regions[path].serial = ++graph_.regions;
    regions[path].adjoint_of = path == 0 ? adjoint_of.first : adjoint_of.second;
    restore(variables, before);
    const OpenRegion open(*this, regions[path]);
    path == 0 ? then() : otherwise();
    after[path] = save(variables);
    entries[path] = tape.cut();
  }
  if (tape.is_open()) tape.set_base();
  Joiner joiner(*this, operation, regions[0], regions[1], tape, adjoint_of.peeled);
  for (size_t i = 0; i < variables.size(); ++i) {
    Maybe maybe;
    bool has_maybe = false;
    *variables[i] =
        joiner.join(after[0].values[i], after[0].maybes[i], after[1].values[i], after[1].maybes[i], maybe, has_maybe);
    if (has_maybe)
      maybes_[variables[i]] = std::move(maybe);
    else
      maybes_.erase(variables[i]);
  }
  const AdjointOf serials{regions[0].serial, regions[1].serial};
  for (Region& region : regions) operation.regions.push_back(std::move(region));
  append(std::move(operation));
  record_branch(*this, tape, condition, std::move(entries[0]), std::move(entries[1]),
                {serials.first, serials.second, adjoint_of.peeled});
}

// --- loops ---

class LoopWalk {
 public:
  using Body = std::function<Value(const Value& index)>;
  LoopWalk(Stager& stager, const Staging::Variables& variables, Body body, uint32_t adjoint_of)
      : stager_(stager),
        graph_(stager.graph_),
        variables_(variables),
        body_(std::move(body)),
        adjoint_of_(adjoint_of),
        adjustments_(variables.size()),
        boxed_(variables.size(), false),
        likes_(variables.size(), Value::unbound()) {}
  Value count;                       // for_
  std::function<Value()> condition;  // while_
  // A value that is there from the first pass on is another type than none: reverse sweeps.
  bool exact = false;

  void run() {
    entry_ = stager_.save(variables_);
    const size_t operations = stager_.top().operations.size();
    const size_t unstaged = graph_.unstaged.size();
    const auto maybes = stager_.maybes_;
    const auto start_over = [&] {
      stager_.top().operations.resize(operations);
      graph_.unstaged.resize(unstaged);
      stager_.maybes_ = maybes;
      stager_.restore(variables_, entry_);
    };
    for (unsigned walk = 0; walk < most_walks; ++walk) {
      start_over();
      switch (attempt()) {
        case Outcome::done: return;
        case Outcome::again: break;
        case Outcome::peel: start_over(); return peel();
      }
    }
    not_staged("types that change from pass to pass");
  }

 private:
  enum class Outcome : uint8_t { done, again, peel };

  Outcome attempt();
  void peel();
  void enter(Carrier& carrier, Operation& operation);
  Outcome leave(Carrier& carrier);
  Outcome leave_one(Carrier& carrier, size_t i);
  size_t lists() const;  // that have become one value
  Outcome wrong_type(size_t i);
  void finish(Operation& operation, RegionTape& tape, Carrier& carrier, Region& condition, Region& body,
              Entries entries, bool exits);

  Stager& stager_;
  Graph& graph_;
  const Staging::Variables& variables_;
  const Body body_;
  const uint32_t adjoint_of_;
  Stager::Saved entry_, heads_, outs_;
  std::vector<Carrier::Adjustments> adjustments_;
  std::vector<bool> boxed_;
  std::vector<Value> likes_;  // of a variable unbound at entry: what a pass leaves in it
  Value trips_ = Value(int64_t{0});
};

LoopWalk::Outcome LoopWalk::attempt() {
  RegionTape tape(stager_);
  Operation operation;
  operation.kind = condition ? Kind::while_ : Kind::for_;
  Region condition_region, body_region;
  body_region.serial = ++graph_.regions;
  body_region.adjoint_of = adjoint_of_;
  Value index;
  if (!condition) {
    operation.args.push_back(count);
    body_region.parameters.push_back(graph_.add(Type{Dtype::i64, {}}, "i"));
    index = graph_.symbol(body_region.parameters[0]);
  }
  Carrier carrier(stager_, operation, body_region, tape);
  enter(carrier, operation);
  const bool counted = tape.is_open();
  carrier.begin_variable();
  if (counted) trips_ = carrier.enter(Value(int64_t{0}), {});
  heads_ = stager_.save(variables_);
  if (condition) {
    const Stager::OpenRegion open(stager_, condition_region);
    const Value holds = condition();
    stager_.restore(variables_, heads_);
    condition_region.results = {holds};
    Entries compared = tape.cut();  // a bool has no derivative
    release(compared);
  }
  Entries entries;
  Outcome outcome;
  Value goes_on;
  try {
    const Stager::OpenRegion open(stager_, body_region);
    goes_on = body_(index);
    outs_ = stager_.save(variables_);
    entries = tape.cut();
    outcome = leave(carrier);
    // Cotangents of one value are added in one order: where it is carried and used beside that, one pass tells both
    // apart.
    if (outcome == Outcome::done && stager_.peeled_ < most_peeled && has_aliases(tape, entries))
      outcome = Outcome::peel;
    if (counted && outcome == Outcome::done) {
      Carrier::Adjustments none;
      carrier.leave(trips_, stager_.arithmetic(ops::entry_of<ops::Add>(), trips_, Value(int64_t{1})), none);
    }
  } catch (...) {
    release(entries);
    throw;
  }
  if (outcome != Outcome::done) {
    release(entries);
    return outcome;
  }
  const bool exits = !goes_on.is_none();
  if (exits) body_region.results.push_back(goes_on);
  finish(operation, tape, carrier, condition_region, body_region, std::move(entries), exits);
  return Outcome::done;
}

void LoopWalk::enter(Carrier& carrier, Operation&) {
  for (size_t i = 0; i < variables_.size(); ++i) {
    carrier.begin_variable();
    Value& variable = *variables_[i];
    const auto& maybe = entry_.maybes[i];
    if (maybe.first && maybe.second.whether.is_none()) not_staged("whether a variable has a value");
    if (!variable.is_unbound()) {
      variable = carrier.enter(boxed_[i] ? stager_.box(variable) : variable, adjustments_[i]);
    } else if (maybe.first || !likes_[i].is_unbound()) {
      const Value incoming = maybe.first ? maybe.second.value : stager_.undefined_like(likes_[i]);
      Maybe head;
      head.value = carrier.enter(boxed_[i] ? stager_.box(incoming) : incoming, adjustments_[i]);
      head.whether = carrier.enter(maybe.first ? maybe.second.whether : Value(false), {});
      stager_.maybes_[&variable] = std::move(head);
    }
  }
}

// Where a list becomes one value, what this walk has shown of other variables means little: they may come from it.
LoopWalk::Outcome LoopWalk::leave(Carrier& carrier) {
  const std::vector<bool> boxed = boxed_;
  const std::vector<Value> likes = likes_;
  const size_t known = lists();
  Outcome worst = Outcome::done;
  for (size_t i = 0; i < variables_.size(); ++i) worst = std::max(worst, leave_one(carrier, i));
  if (lists() == known) return worst;
  boxed_ = boxed;
  likes_ = likes;
  return Outcome::again;
}

size_t LoopWalk::lists() const {
  size_t count = 0;
  for (const Carrier::Adjustments& adjustments : adjustments_) count += adjustments.lists.size();
  return count;
}

LoopWalk::Outcome LoopWalk::wrong_type(size_t i) {
  if (stager_.peeled_ < most_peeled && !boxed_[i]) return Outcome::peel;
  if (stager_.context().innermost != nullptr && outs_.values[i].is(ObjectKind::list)) {
    fail(message("list_active"), {"the length"});
  }
  if (boxed_[i] || stager_.context().innermost != nullptr) not_staged("types that change from pass to pass");
  boxed_[i] = true;
  return Outcome::again;
}

LoopWalk::Outcome LoopWalk::leave_one(Carrier& carrier, size_t i) {
  carrier.begin_variable();
  const Value& head = heads_.values[i];
  const Value& out = outs_.values[i];
  const auto& maybe_head = heads_.maybes[i];
  const auto& maybe_out = outs_.maybes[i];
  const auto fit = [&](const Value& at_head, const Value& outgoing) {
    switch (carrier.leave(at_head, outgoing, adjustments_[i])) {
      case Carrier::Fit::same: return Outcome::done;
      case Carrier::Fit::again: return Outcome::again;
      case Carrier::Fit::type: break;
    }
    return wrong_type(i);
  };
  if (!head.is_unbound()) {
    if (!out.is_unbound()) return fit(head, out);
    return wrong_type(i);
  }
  if (maybe_head.first) {
    const Value value = out.is_unbound() ? maybe_out.second.value : out;
    const Outcome outcome = fit(maybe_head.second.value, value);
    if (outcome == Outcome::peel) return outcome;
    return std::max(outcome, fit(maybe_head.second.whether, out.is_unbound() ? maybe_out.second.whether : Value(true)));
  }
  if (out.is_unbound() && !maybe_out.first) return Outcome::done;
  if (exact) return Outcome::peel;
  likes_[i] = out.is_unbound() ? maybe_out.second.value : out;
  return Outcome::again;
}

void LoopWalk::finish(Operation& operation, RegionTape& tape, Carrier& carrier, Region& condition_region,
                      Region& body_region, Entries entries, bool exits) {
  operation.exits = exits;
  const size_t first = condition ? 0 : 1;
  for (size_t i = first; i < body_region.parameters.size(); ++i) {
    operation.results.push_back(graph_.add_like(body_region.parameters[i]));
  }
  if (tape.is_open()) tape.set_base();
  stager_.restore(variables_, heads_);
  for (size_t i = 0; i < variables_.size(); ++i) {
    if (!heads_.values[i].is_unbound()) {
      *variables_[i] = carrier.after(heads_.values[i]);
    } else if (heads_.maybes[i].first) {
      Maybe maybe{carrier.after(heads_.maybes[i].second.value), carrier.after(heads_.maybes[i].second.whether)};
      stager_.maybes_[variables_[i]] = std::move(maybe);
    }
  }
  const Value trips = tape.is_open() ? carrier.after(trips_) : Value();
  if (condition) {
    // The condition's parameters are its own.
    std::map<Id, Id> own;
    for (const Id id : body_region.parameters) {
      own[id] = graph_.add_like(id);
      condition_region.parameters.push_back(own[id]);
    }
    rename(
        condition_region, [&](Id id) { return own.contains(id) ? own[id] : id; }, graph_);
    operation.regions.push_back(std::move(condition_region));
  }
  const uint32_t serial = body_region.serial;
  operation.regions.push_back(std::move(body_region));
  stager_.append(std::move(operation));
  record_loop(stager_, tape, trips, std::move(entries), serial);
}

// The first pass by itself, then the others.
void LoopWalk::peel() {
  struct Depth {
    unsigned& depth;
    explicit Depth(unsigned& d) : depth(d) { ++depth; }
    ~Depth() { --depth; }
  } const deeper(stager_.peeled_);
  const auto rest = [&] {
    LoopWalk walk(
        stager_, variables_,
        [&](const Value& index) {
          return body_(index.is_none() ? index
                                       : stager_.arithmetic(ops::entry_of<ops::Add>(), index, Value(int64_t{1})));
        },
        adjoint_of_);
    walk.exact = exact;
    walk.condition = condition;
    if (!condition) walk.count = stager_.arithmetic(ops::entry_of<ops::Subtract>(), count, Value(int64_t{1}));
    walk.run();
  };
  const Value any = condition ? condition() : stager_.arithmetic(ops::entry_of<ops::Less>(), Value(int64_t{0}), count);
  stager_.branch_back(
      any, variables_,
      [&] {
        const Value goes_on = body_(condition ? Value() : Value(int64_t{0}));
        if (goes_on.is_none()) return rest();
        stager_.branch_back(goes_on, variables_, rest, [] {}, {adjoint_of_, 0, true});
      },
      [] {}, {adjoint_of_, 0, true});
}

void Stager::repeat(const Value& count, const Variables& variables,
                    const std::function<Value(const Value& index)>& body) {
  LoopWalk walk(*this, variables, body, 0);
  walk.count = count;
  walk.run();
}

void Stager::repeat_back(const Value& count, const Variables& variables,
                         const std::function<Value(const Value& index)>& body, uint32_t adjoint_of) {
  LoopWalk walk(*this, variables, body, adjoint_of);
  walk.count = count;
  walk.exact = true;
  walk.run();
}

void Stager::loop(const Variables& variables, const std::function<Value()>& condition,
                  const std::function<Value()>& body) {
  LoopWalk walk(
      *this, variables, [&](const Value&) { return body(); }, 0);
  walk.condition = condition;
  walk.run();
}

}  // namespace covec::ir
