#include "jit/lower/recursion.hpp"

#include <algorithm>

#include "jit/lower/graph/not_staged.hpp"
#include "jit/lower/paths/alike.hpp"
#include "jit/lower/recursion_adjoint.hpp"
#include "stdlib/autodiff/level.hpp"

namespace covec::ir {

namespace {

constexpr unsigned max_recursion_walks = 16;  // until the types of results stay
constexpr unsigned max_retyped = 2;

bool same_values(std::span<const Value> a, std::span<const Value> b) { return std::ranges::equal(a, b, same_value); }

}  // namespace

class Recursions::Walk {
 public:
  Walk(Recursions& all, FunctionSource source)
      : all_(all),
        source_(std::move(source)),
        level_(all.builder_.context().innermost),
        entry_(values_of(source_.arguments)),
        adjustments_(entry_.size()),
        fixed_(entry_.size(), true) {
    of_result_.own_extents = true;  // what they stem from may be the function's
    for (const Value& argument : entry_) {
      if (argument.is_unbound() && !is_undefined(argument)) not_staged("a conditionally defined variable");
    }
  }
  std::optional<Value> run();
  bool is_of(const void* key, std::span<const Value> captured) const {
    return key == source_.key && level_ == all_.builder_.context().innermost && same_values(captured, source_.captured);
  }
  std::optional<Value> call_inside(std::span<const Value> args, unsigned depth, const PrimalCall& primal_call);

 private:
  enum class Outcome : uint8_t { done, again, refused };
  struct Attempt;

  Outcome attempt();
  void enter(Attempt& attempt);
  void walk(Attempt& attempt);
  bool are_apart(const Attempt& attempt) const;
  void finish(Attempt& attempt);
  bool pass(std::span<const Value> args);
  FunctionParts parts() {
    return {all_.builder_, all_.writer_, all_.conversions_, all_.regions_, all_, all_.conditional_values_};
  }
  void again() { outcome_ = std::max(outcome_, Outcome::again); }

  Recursions& all_;
  const FunctionSource source_;
  const autodiff::OpenLevel* const level_;
  const std::vector<Value> entry_;  // what the outermost call is given
  std::vector<Value> heads_;
  std::vector<LoopCarried::Adjustments> adjustments_;
  std::vector<bool> fixed_;  // all calls hand on the outermost one's
  Value gives_ = Value::unbound();
  LoopCarried::Adjustments of_result_;
  unsigned retyped_ = 0;
  FunctionTapes tapes_;  // what the last walk has found out
  Attempt* attempt_ = nullptr;
  Outcome outcome_ = Outcome::done;
  std::optional<Value> result_;
};

// One walk of the function, and what comes of it.
struct Recursions::Walk::Attempt {
  explicit Attempt(Recursions& all)
      : tapes(all.builder_.context()),
        loop_carried(all.writer_, all.conversions_, all.conditional_values_, tapes, operation, arguments),
        carried_results(all.writer_, all.conversions_, all.conditional_values_, tapes, given, results) {}
  RegionTapes tapes;
  Operation operation, given;  // given: stands for what the function gives
  Region body, arguments, results;
  LoopCarried loop_carried, carried_results;
  Value gives;  // like what each call gives
  std::vector<Entries> entries;
  std::vector<bool> entered;       // by argument: whether it has parameters
  std::vector<size_t> parameters;  // by tape: active ones, the first of its live-outs
};

std::optional<Value> Recursions::Walk::run() {
  const GraphWriter::Position before = all_.writer_.position();
  for (unsigned walk = 0; walk < max_recursion_walks; ++walk) {
    all_.writer_.rollback(before);
    put_back(source_.arguments, entry_);
    outcome_ = Outcome::done;
    switch (attempt()) {
      case Outcome::done: return result_;
      case Outcome::again: break;
      case Outcome::refused:
        all_.writer_.rollback(before);
        put_back(source_.arguments, entry_);
        return std::nullopt;
    }
  }
  not_staged("types that change between calls");
}

Recursions::Walk::Outcome Recursions::Walk::attempt() {
  GraphWriter& writer = all_.writer_;
  Attempt attempt(all_);
  attempt.operation.kind = attempt.given.kind = Kind::recursion;
  leave_error(writer.graph(), attempt.operation);
  attempt.body.serial = ++writer.graph().regions;
  attempt.body.adjoint_of = source_.adjoint_of;
  attempt.body.sweep = source_.sweep;
  writer.note_region(attempt.body);
  enter(attempt);
  tapes_.begin(attempt.tapes, writer.forward_of(source_.adjoint_of).serial);
  struct Open {
    Open(Walk& w, Attempt& attempt) : walk(w) {
      walk.attempt_ = &attempt;
      walk.all_.open_walks_.push_back(&walk);
    }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;
    ~Open() {
      walk.all_.open_walks_.pop_back();
      walk.attempt_ = nullptr;
    }
    Walk& walk;
  };
  {
    const Open open(*this, attempt);
    const GraphWriter::InRegion inside(writer, attempt.body);
    walk(attempt);
  }
  if (outcome_ != Outcome::done) return outcome_;
  if (!are_apart(attempt)) return Outcome::refused;
  if (tapes_.learn(attempt.tapes, attempt.entries)) return Outcome::again;
  finish(attempt);
  return Outcome::done;
}

void Recursions::Walk::enter(Attempt& attempt) {
  attempt.operation.args.emplace_back(int64_t{0});
  for (size_t i = 0; i < entry_.size(); ++i) {
    attempt.loop_carried.begin_variable();
    attempt.entered.push_back(!fixed_[i]);
    if (!fixed_[i]) *source_.arguments[i] = attempt.loop_carried.enter(entry_[i], adjustments_[i]);
  }
  heads_ = values_of(source_.arguments);
  for (const RegionTape& tape : attempt.tapes.all()) attempt.parameters.push_back(tape.live_outs().size());
  if (gives_.is_unbound()) return;
  attempt.carried_results.begin_variable();
  const GraphWriter::Position before = all_.writer_.position();
  attempt.gives = attempt.carried_results.enter(gives_, of_result_);
  all_.writer_.rollback(before);  // it only says of what type it is
  for (size_t t = 0; t < attempt.tapes.all().size(); ++t) attempt.tapes.all()[t].begin_inside(attempt.parameters[t]);
}

void Recursions::Walk::walk(Attempt& attempt) {
  Value result;
  if (gives_.is_unbound()) {
    const Regions::Probe probe(all_.regions_);
    try {
      result = source_.body();
    } catch (const UnknownResult& unknown) {
      if (unknown.of != this) throw;
      if (outcome_ == Outcome::again) return;  // a condition that was known in the first call need not be
      not_staged("the result of a function that always calls itself");
    }
    gives_ = std::move(result);
    attempt.entries = attempt.tapes.cut();
    return again();
  }
  result = source_.body();
  attempt.carried_results.begin_variable();
  switch (attempt.carried_results.leave(attempt.gives, result, of_result_)) {
    case LoopCarried::Fit::same: break;
    case LoopCarried::Fit::again: again(); break;
    case LoopCarried::Fit::type:  // where it does not call itself it may give less
      if (++retyped_ > max_retyped) not_staged("the result type of a recursive function");
      gives_ = result;
      of_result_ = {};
      of_result_.own_extents = true;
      again();
  }
  attempt.entries = attempt.tapes.cut();
}

// A node that two parameters have, or one and the function itself, would get cotangents from both.
bool Recursions::Walk::are_apart(const Attempt& attempt) const {
  for (size_t t = 0; t < attempt.tapes.all().size(); ++t) {
    const RegionTape& tape = attempt.tapes.all()[t];
    std::set<uint32_t> nodes = outer_nodes_of(tape, attempt.entries[t]);
    for (size_t k = 0; k < attempt.parameters[t]; ++k) {
      const uint32_t node = tape.live_outs()[k].entry;
      if (node != 0 && !nodes.insert(node).second) return false;
    }
  }
  return true;
}

void Recursions::Walk::finish(Attempt& attempt) {
  Graph& graph = all_.writer_.graph();
  Operation& operation = attempt.operation;
  for (const Id id : attempt.results.parameters) operation.results.push_back(graph.add_like(id));
  attempt.given.results = operation.results;
  attempt.tapes.set_base();
  result_ = attempt.carried_results.after(attempt.gives);
  attempt.body.parameters = attempt.arguments.parameters;
  attempt.body.results = attempt.results.results;
  const uint32_t serial = attempt.body.serial;
  operation.regions.push_back(std::move(attempt.body));
  all_.writer_.append(std::move(operation));
  record_function(parts(), tapes_, attempt.tapes, std::move(attempt.entries), attempt.parameters, serial,
                  {heads_, entry_, attempt.gives, *result_, source_.primal_call});
}

// --- a call ---

// The call's arguments as the region's parameters; false where they are of other types.
bool Recursions::Walk::pass(std::span<const Value> args) {
  attempt_->arguments.results.clear();
  for (size_t i = 0; i < args.size(); ++i) {
    if (!attempt_->entered[i]) {
      if (same_value(args[i], heads_[i])) continue;
      if (args[i].is_unbound() || heads_[i].is_unbound()) return false;
      fixed_[i] = false;
      again();
      continue;
    }
    attempt_->loop_carried.begin_variable();
    switch (attempt_->loop_carried.leave(heads_[i], args[i], adjustments_[i])) {
      case LoopCarried::Fit::same: break;
      case LoopCarried::Fit::again: again(); break;
      case LoopCarried::Fit::type: return false;
    }
  }
  return true;
}

std::optional<Value> Recursions::Walk::call_inside(std::span<const Value> args, unsigned depth,
                                                   const PrimalCall& primal_call) {
  if (args.size() != heads_.size() || !pass(args)) return std::nullopt;
  if (gives_.is_unbound()) throw UnknownResult{this};
  Graph& graph = all_.writer_.graph();
  Operation operation;
  operation.kind = Kind::invoke;
  operation.number = attempt_->body.serial;
  leave_error(graph, operation);
  operation.args.emplace_back(static_cast<int64_t>(depth - source_.depth));
  std::ranges::copy(attempt_->arguments.results, std::back_inserter(operation.args));
  for (const Id id : attempt_->results.parameters) operation.results.push_back(graph.add_like(id));
  RegionTapes tapes(all_.builder_.context());
  for (RegionTape& tape : tapes.all()) tape.continue_with(attempt_->tapes.at(tape.level()).live_outs());
  tapes.set_base();
  Operation given;
  given.kind = Kind::recursion;
  given.results = operation.results;
  LoopCarried results(all_.writer_, all_.conversions_, all_.conditional_values_, tapes, given, attempt_->results);
  Value result = results.after(attempt_->gives);
  all_.writer_.append(std::move(operation));
  record_call(parts(), tapes_, tapes, attempt_->parameters, {heads_, args, attempt_->gives, result, primal_call});
  return result;
}

// --- all functions ---

std::optional<Value> Recursions::call(FunctionSource source) { return Walk(*this, std::move(source)).run(); }

std::optional<Value> Recursions::call_inside(const void* key, std::span<const Value> captured,
                                             std::span<const Value> args, unsigned depth,
                                             const PrimalCall& primal_call) {
  for (size_t i = open_walks_.size(); i-- > 0;) {
    if (!open_walks_[i]->is_of(key, captured)) continue;
    std::optional<Value> result = open_walks_[i]->call_inside(args, depth, primal_call);
    if (result) return result;
  }
  return std::nullopt;
}

}  // namespace covec::ir
