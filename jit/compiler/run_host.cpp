#include "jit/compiler/run_host.hpp"

#include <chrono>

#include "stdlib/autodiff/in_rule.hpp"

namespace covec::jit {

namespace {

// A frame and those that it was called from.
std::vector<WalkedCall> calls_of(const ir::Graph& graph, uint32_t frame) {
  std::vector<WalkedCall> calls;
  for (; frame < graph.frames.size(); frame = graph.frames[frame].caller) {
    calls.push_back({graph.frames[frame].closure, graph.frames[frame].site});
  }
  if (!calls.empty()) calls.back().site = Span();
  return calls;
}

StagedSource staged_place(const ir::SourcePlace& place) {
  return {nullptr, place.whole, place.operands, place.entry, place.frame};
}

}  // namespace

// The outermost one counts.
class RunHost::Timer {
 public:
  explicit Timer(RunHost& host) : host_(host), before_(std::chrono::steady_clock::now()) { ++host_.timers_; }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() {
    if (--host_.timers_ != 0) return;
    const auto taken = std::chrono::steady_clock::now() - before_;
    host_.interpreted_ += static_cast<uint64_t>(std::chrono::nanoseconds(taken).count());
  }

 private:
  RunHost& host_;
  const std::chrono::steady_clock::time_point before_;
};

void RunHost::raise(const OpError& error, const ir::Graph& graph, uint32_t place) {
  const ir::SourcePlace& given = graph.places[place];
  const StagedSource where = staged_place(given);
  context_.site = site_;
  OpError told = error;
  if (given.rule_of != nullptr) autodiff::tell_of_rule(told, *given.rule_of, &given.site);
  // What no program has written, as the check of a sparse Jacobian or vmap(tree_map): its caller knows where its
  // arguments stand.
  const bool of_builtins = !given.whole.known() && given.rule_of == nullptr;
  if (of_builtins && error.kind != ErrorKind::no_value) throw OpError(told);
  // The sweep back through a compiled function is its caller's doing.
  const bool outside = given.rule_of != nullptr && !given.whole.known();
  walker_.raise_in(told, where, outside ? std::vector<WalkedCall>() : calls_of(graph, where.frame));
  __builtin_unreachable();
}

std::optional<ProgramCall> RunHost::call_of_program(const ir::Graph& graph, Span place, uint32_t frame) const {
  return walker_.call_of_program(place, calls_of(graph, frame));
}

int64_t RunHost::interpret(const ir::Operation& op, const ir::Graph& graph, std::span<Value> live,
                           std::span<Value> results) {
  const Timer timer(*this);
  ClosureParts parts;
  closure_parts(live[0].function(), parts);
  std::vector<Value> slots(parts.function->slots, Value::unbound());
  for (size_t i = 1; i + 1 < op.args.size(); i += 2) slots[static_cast<size_t>(live[i].i64())] = std::move(live[i + 1]);
  std::vector<WalkedCall> calls = calls_of(graph, graph.places[op.place].frame);
  calls[0].closure = live[0];
  Value result;
  context_.site = site_;
  const Flow flow = walker_.run_statement(*static_cast<const core::Stmt*>(op.node), slots, calls, result);
  for (size_t i = 0; i < op.rest.size(); ++i) results[i] = std::move(slots[static_cast<size_t>(op.rest[i].i64())]);
  if (op.exits) results[op.rest.size()] = std::move(result);
  return static_cast<int64_t>(flow);
}

Value RunHost::within(FunctionRef<Value()> f, const ir::Graph& graph, uint32_t place) {
  context_.site = site_;
  return walker_.within(calls_of(graph, graph.places[place].frame), f);
}

Value RunHost::call(const Value& function, std::span<Value> args, const ir::Graph& graph, uint32_t place) {
  const Timer timer(*this);
  const StagedSource where = staged_place(graph.places[place]);
  context_.site = site_;
  return walker_.call_in(function, args, where, calls_of(graph, where.frame));
}

}  // namespace covec::jit
