// Who makes a call of a compiled function: code, or the interpreter. Facts decide first, and then what both take
// (jit/dispatch). Start at dispatch().
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
  Value interpret_for_now(Compiled& compiled, LastCalls& last, Standing& standing, Dispatcher::Turn turn,
                          ByInterpreter by_interpreter);
  void skip_looks(Compiled& compiled, LastCalls& last, uint64_t look, uint64_t call, uint64_t most);
  static bool may_skip_looks(const Compiled& compiled);

  static constexpr uint64_t saved_without_look = 65;  // ns; measured with functions of a few operations
  static constexpr unsigned patience = 8;             // calls of the interpreter in turn before one goes without a look

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
  if (made.interpreted && !made.waits()) return interpret(compiled, last, made.look_ns(), by_interpreter);
  const Sizes sizes = sizes_of(args);
  if (made.waits() && sizes.largest > Standings::many && made.elements <= Standings::many)
    compiler_.finish(made, "its tensors have grown");
  if (made.interpreted && !made.waits()) return by_interpreter();
  if (compiled.request().strict || compiled.is_measured()) return made.interpreted ? by_interpreter() : by_code();
  const uint64_t overhead = made.look_ns() + (made.says_errors_again ? sizes.copying : 0);
  if (overhead == 0 && !made.by_choice && policy_.tier == Tier::timed) {
    last.by_interpreter = 0;
    return by_code();
  }
  Standing& standing = made.standing(sizes.elements);
  if (standing.state == Standing::State::unseen) began = 0;  // the code may have been made since
  standing.overhead = overhead;
  standing.saved = may_skip_looks(compiled) ? saved_without_look : 0;
  const Dispatcher::Turn turn = dispatcher_.turn(standing, made.by_choice, std::exchange(last.stands_for, uint64_t{1}));
  if (turn.engine == Engine::code && made.waits()) {
    compiler_.finish(made, nullptr);
    began = 0;
  }
  if (standing.state == Standing::State::probing) last.may_be_timed = LastCalls::most;
  if (turn.engine == Engine::interpreter || made.interpreted)
    return interpret_for_now(compiled, last, standing, turn, by_interpreter);
  last.by_interpreter = 0;
  if (!turn.timed) return by_code();
  Dispatcher::Timed timed(dispatcher_, standing, turn);
  if (began == 0) began = dispatcher_.now();
  Value result = by_code();
  timed.took(dispatcher_.now() - began);
  return result;
}

template <class ByInterpreter>
Value Tiering::interpret_for_now(Compiled& compiled, LastCalls& last, Standing& standing, Dispatcher::Turn turn,
                                 ByInterpreter by_interpreter) {
  ++last.by_interpreter;
  if (!turn.timed) return by_interpreter();
  Dispatcher::Timed timed(dispatcher_, standing, turn);
  const uint64_t began = dispatcher_.now();
  Value result = by_interpreter();
  const uint64_t taken = dispatcher_.now() - began;
  timed.took(taken);
  if (standing.state == Standing::State::interpreter)
    skip_looks(compiled, last, standing.overhead, taken, standing.left);
  return result;
}

template <class ByInterpreter>
Value Tiering::interpret(Compiled& compiled, LastCalls& last, uint64_t look, ByInterpreter by_interpreter) {
  last.stands_for = 1;
  if (++last.by_interpreter < patience) return by_interpreter();
  const uint64_t began = dispatcher_.now();
  Value result = by_interpreter();
  if (context_.innermost == nullptr && context_.batches.empty())
    skip_looks(compiled, last, look, dispatcher_.now() - began, Dispatcher::most);
  return result;
}

}  // namespace covec::jit
