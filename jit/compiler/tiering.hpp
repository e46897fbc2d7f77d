// Who makes a call of a compiled function: code, or the interpreter. Facts decide first, and then what both take
// (jit/dispatch). A call that acts outside is not timed: it may wait for others. Start at dispatch().
#pragma once

#include <span>
#include <utility>

#include "jit/compiler/compiled.hpp"
#include "jit/dispatch/dispatcher.hpp"
#include "jit/specialize/function_compiler.hpp"
#include "stdlib/autodiff/level.hpp"

namespace covec::jit {

// What goes in, and what it takes to copy what may be changed in place, so that the call can be made again.
struct Sizes {
  int64_t elements = 0, largest = 0;  // largest: of a tensor
  uint64_t copying = 0;               // ns; 0 where it is not worth speaking of
};
Sizes sizes_of(std::span<const Value> args);

class Tiering {
 public:
  Tiering(ops::Context& context, const Policy& policy, FunctionCompiler& compiler)
      : context_(context), policy_(policy), compiler_(compiler), dispatcher_(policy.tier) {}
  Tiering(const Tiering&) = delete;
  Tiering& operator=(const Tiering&) = delete;

  uint64_t now() const { return dispatcher_.now(); }
  // `began`: when the call did, or 0.
  template <class ByCode, class ByInterpreter>
  Value dispatch(Compiled& compiled, std::span<Value> args, LastCalls& last, Specialization& made, uint64_t began,
                 ByCode by_code, ByInterpreter by_interpreter);
  // What no code can be made for. `look`: ns that it takes to look at what goes in.
  template <class ByInterpreter>
  Value interpret(Compiled& compiled, LastCalls& last, uint64_t look, ByInterpreter by_interpreter);

 private:
  template <class ByInterpreter>
  Value interpret_for_now(Compiled& compiled, LastCalls& last, TierTiming& tier_timing, Dispatcher::Turn turn,
                          ByInterpreter by_interpreter);
  void skip_checks(Compiled& compiled, LastCalls& last, uint64_t look, uint64_t call, uint64_t most);
  static bool may_skip_checks(const Compiled& compiled);

  static constexpr uint64_t saved_without_checks = 65;  // ns; measured with functions of a few operations
  static constexpr unsigned patience = 8;  // calls of the interpreter in turn before one goes without a look

  ops::Context& context_;
  const Policy& policy_;
  FunctionCompiler& compiler_;
  Dispatcher dispatcher_;
};

template <class ByCode, class ByInterpreter>
Value Tiering::dispatch(Compiled& compiled, std::span<Value> args, LastCalls& last, Specialization& made,
                        uint64_t began, ByCode by_code, ByInterpreter by_interpreter) {
  if (made.waits() && compiled.is_measured()) {
    compiler_.finish(made, "it is to be measured");
    if (!made.interpreted) made.code.measure();
  }
  if (made.interpreted && !made.waits()) return interpret(compiled, last, made.check_ns(), by_interpreter);
  const Sizes sizes = sizes_of(args);
  if (made.waits() && sizes.largest > TierTimings::max_medium_elements &&
      made.elements <= TierTimings::max_medium_elements)
    compiler_.finish(made, "its tensors have grown");
  if (made.interpreted && !made.waits()) return by_interpreter();
  if (compiled.request().strict || compiled.is_measured()) return made.interpreted ? by_interpreter() : by_code();
  if (made.acts && policy_.tier == Tier::timed) return made.interpreted ? by_interpreter() : by_code();
  const uint64_t overhead = made.check_ns() + (made.replays_errors ? sizes.copying : 0);
  if (overhead == 0 && !made.by_choice && policy_.tier == Tier::timed) {
    last.by_interpreter = 0;
    return by_code();
  }
  TierTiming& tier_timing = made.tier_timing(sizes.elements);
  if (tier_timing.state == TierTiming::State::unseen) began = 0;  // the code may have been made since
  tier_timing.overhead = overhead;
  tier_timing.saved = may_skip_checks(compiled) ? saved_without_checks : 0;
  const Dispatcher::Turn turn =
      dispatcher_.turn(tier_timing, made.by_choice, std::exchange(last.stands_for, uint64_t{1}));
  if (turn.engine == Engine::code && made.waits()) {
    compiler_.finish(made, nullptr);
    began = 0;
  }
  if (tier_timing.state == TierTiming::State::probing) last.may_be_timed = LastCalls::most;
  if (turn.engine == Engine::interpreter || made.interpreted)
    return interpret_for_now(compiled, last, tier_timing, turn, by_interpreter);
  last.by_interpreter = 0;
  if (!turn.timed) return by_code();
  Dispatcher::Timed timed(dispatcher_, tier_timing, turn);
  if (began == 0) began = dispatcher_.now();
  Value result = by_code();
  timed.took(dispatcher_.now() - began);
  return result;
}

template <class ByInterpreter>
Value Tiering::interpret_for_now(Compiled& compiled, LastCalls& last, TierTiming& tier_timing, Dispatcher::Turn turn,
                                 ByInterpreter by_interpreter) {
  ++last.by_interpreter;
  if (!turn.timed) return by_interpreter();
  Dispatcher::Timed timed(dispatcher_, tier_timing, turn);
  const uint64_t began = dispatcher_.now();
  Value result = by_interpreter();
  const uint64_t taken = dispatcher_.now() - began;
  timed.took(taken);
  if (tier_timing.state == TierTiming::State::interpreter)
    skip_checks(compiled, last, tier_timing.overhead, taken, tier_timing.left);
  return result;
}

template <class ByInterpreter>
Value Tiering::interpret(Compiled& compiled, LastCalls& last, uint64_t look, ByInterpreter by_interpreter) {
  last.stands_for = 1;
  if (++last.by_interpreter < patience) return by_interpreter();
  const uint64_t began = dispatcher_.now();
  Value result = by_interpreter();
  if (context_.innermost == nullptr && context_.batches.empty())
    skip_checks(compiled, last, look, dispatcher_.now() - began, Dispatcher::most);
  return result;
}

}  // namespace covec::jit
