// Calls compiled functions: finds the code that fits, decides who runs the call (jit/dispatch), and handles calls that
// code cannot finish. Start at JitCompiler::run.
#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "frontend/source/diagnostic.hpp"
#include "jit/compiler/active_call.hpp"
#include "jit/compiler/compiler.hpp"
#include "jit/compiler/explain.hpp"
#include "stdlib/autodiff/level.hpp"
#include "stdlib/autodiff/tape.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/small_vector.hpp"

namespace covec::jit {

namespace {

constexpr uint64_t saved_without_look = 65;  // ns; measured with functions of a few operations
constexpr unsigned patience = 8;             // calls of the interpreter in turn before one goes without a look

void check_strict(const Compiled& compiled, const Specialization& made) {
  if (compiled.suits(made)) return;
  fail(message("compile_strict"), {compiled.function().function().name(), made.why_not_whole()});
}

// Whether calls may go to the interpreter without a look.
bool may_skip_looks(const Compiled& compiled) {
  return compiled.function().function().callable_kind == CallableKind::closure && !compiled.request().strict;
}

// What goes in, and what it takes to copy what may be changed in place, so that the call can be made again.
struct Sizes {
  static constexpr uint64_t of_item = 8, bytes_in_ns = 32, worth = 1000;  // ns of an item of a list; ns to speak of
  int64_t elements = 0, largest = 0;                                      // largest: of a tensor
  uint64_t copying = 0;
  bool open() const { return true; }
  bool leaf(const Value& value) {
    if (value.is_tensor()) {
      elements += value.tensor().size();
      largest = std::max(largest, value.tensor().size());
      copying += static_cast<uint64_t>(value.tensor().size()) * size_of(value.tensor().dtype()) / bytes_in_ns;
    } else if (value.is(ObjectKind::list)) {
      elements += static_cast<int64_t>(value.list().size());
      copying += of_item * value.list().size();
    } else {
      ++elements;
    }
    return true;
  }
  bool whole(const Value&) { return true; }
  bool parts(const Value&, size_t) { return true; }
  uint64_t copying_to_speak_of() const { return copying < worth ? 0 : copying; }
};

Sizes sizes_of(std::span<const Value> args) {
  Sizes sizes;
  for (const Value& arg : args) walk(arg, sizes);
  return sizes;
}

// While the interpreter makes a call again, the calls inside it are the interpreter's, too.
class LentToItself {
 public:
  explicit LentToItself(Compiled& compiled) : compiled_(compiled) {
    compiled.lend(compiled.function().function(), Callable::always);
  }
  LentToItself(const LentToItself&) = delete;
  LentToItself& operator=(const LentToItself&) = delete;
  ~LentToItself() { compiled_.take_back(); }

 private:
  Compiled& compiled_;
};

// A signature with the memory of an earlier one.
class Borrowed {
 public:
  explicit Borrowed(Signature& spare) : spare_(spare), signature_(std::exchange(spare, Signature())) {}
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() {
    signature_.clear();
    spare_ = std::move(signature_);
  }
  Signature& signature() { return signature_; }

 private:
  Signature& spare_;
  Signature signature_;
};

}  // namespace

Value JitCompiler::run(Compiled& compiled, std::span<Value> args, LastCalls& last) {
  const bool known = last.made != nullptr && last.generation == table_.generation();
  if ((!known || last.made->watched) && !watching_) [[unlikely]]
    return run_watched(compiled, args, last);
  return run_any_way(compiled, args, last);
}

namespace {

// Calls inside count as part of the outermost one.
class Watching {
 public:
  explicit Watching(bool& now) : now_(now) { now_ = true; }
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;
  ~Watching() { now_ = false; }

 private:
  bool& now_;
};

}  // namespace

// A function that is interpreted for the most part, though it is to be compiled, says so when that has taken long.
Value JitCompiler::run_watched(Compiled& compiled, std::span<Value> args, LastCalls& last) {
  constexpr uint64_t long_time = 2000000000;
  const auto before = std::chrono::steady_clock::now();
  const uint64_t by_interpreter = host_.interpreted();
  Value result;
  {
    const Watching watching(watching_);
    result = run_any_way(compiled, args, last);
  }
  const Specialization* const made = last.made;
  if (made == nullptr || last.generation != table_.generation() || !made->watched) return result;
  const auto nanoseconds = std::chrono::nanoseconds(std::chrono::steady_clock::now() - before).count();
  const uint64_t taken = static_cast<uint64_t>(nanoseconds) * last.stands_for;
  made->taken += taken;
  made->taken_by_interpreter += made->interpreted ? taken : host_.interpreted() - by_interpreter;
  if (made->taken_by_interpreter >= long_time && made->taken_by_interpreter > made->taken / 2) {
    made->watched = false;
    if (context_.output != nullptr) context_.output->warn(cliff_text(walker_, *made));
  }
  return result;
}

Value JitCompiler::run_any_way(Compiled& compiled, std::span<Value> args, LastCalls& last) {
  if (compiled.body != nullptr || !policy_.enabled) [[unlikely]] {
    if (compiled.body != nullptr) compiled.borrow();
    return compiled.function().function().call(eager(), args, {});
  }
  const uint64_t began = last.may_be_timed > 0 ? dispatcher_.now() : 0;
  last.may_be_timed -= began != 0;
  Specialization* const made = last.find(args, table_.generation());
  if (made == nullptr || !has_room(*made)) return run_any(compiled, args, last, began);
  last.made = made;
  if (made->stays_code) {
    last.by_interpreter = 0;
    return run_code(compiled, args, last);
  }
  return dispatch(
      compiled, args, last, *made, began, [&] { return run_code(compiled, args, last); },
      [&] { return compiled.function().function().call(eager(), args, {}); });
}

Value JitCompiler::run_code(Compiled& compiled, std::span<Value> args, const LastCalls& last) {
  if (last.made->says_errors_again) return run_carefully(compiled, args, last);
  return last.made->plain ? execute(*last.made, args) : run_again(*last.made, last.captured, args);
}

// --- who makes a call ---

// By code, or by the interpreter: facts decide first, and then what both take (jit/dispatch).
template <class ByCode, class ByInterpreter>
Value JitCompiler::dispatch(Compiled& compiled, std::span<Value> args, LastCalls& last, Specialization& made,
                            uint64_t began, ByCode by_code, ByInterpreter by_interpreter) {
  if (made.waits() && compiled.is_measured()) {
    finish(made, "it is to be measured");
    if (!made.interpreted) made.code.measure();
  }
  if (made.interpreted && !made.waits()) return interpret(compiled, last, made.look_ns(), by_interpreter);
  const Sizes sizes = sizes_of(args);
  if (made.waits() && sizes.largest > Standings::many && made.elements <= Standings::many)
    finish(made, "its tensors have grown");
  if (made.interpreted && !made.waits()) return by_interpreter();
  if (compiled.request().strict || compiled.is_measured()) return made.interpreted ? by_interpreter() : by_code();
  const uint64_t overhead = made.look_ns() + (made.says_errors_again ? sizes.copying_to_speak_of() : 0);
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
    finish(made, nullptr);
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
Value JitCompiler::interpret_for_now(Compiled& compiled, LastCalls& last, Standing& standing, Dispatcher::Turn turn,
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

// What no code can be made for.
template <class ByInterpreter>
Value JitCompiler::interpret(Compiled& compiled, LastCalls& last, uint64_t look, ByInterpreter by_interpreter) {
  last.stands_for = 1;
  if (++last.by_interpreter < patience) return by_interpreter();
  const uint64_t began = dispatcher_.now();
  Value result = by_interpreter();
  if (context_.innermost == nullptr && context_.batches.empty())
    skip_looks(compiled, last, look, dispatcher_.now() - began, Dispatcher::most);
  return result;
}

// Where the interpreter makes call after call, most go without a look at what goes in.
void JitCompiler::skip_looks(Compiled& compiled, LastCalls& last, uint64_t look, uint64_t call, uint64_t most) {
  if (!may_skip_looks(compiled) || last.by_interpreter < patience || compiled.body != nullptr) return;
  const uint64_t calls = dispatcher_.without_look(look, call, most);
  if (calls == 0) return;
  compiled.lend(compiled.function().function(), static_cast<unsigned>(calls));
  last.stands_for = calls + 1;
}

// Code that little was expected of is made after all. `why`: it counts as code from now on.
void JitCompiler::finish(Specialization& made, const char* why) {
  if (why != nullptr) {
    made.by_choice = false;
    made.cause = why;
  }
  std::unique_ptr<ir::Graph> graph = std::move(made.waiting);
  made.interpreted = false;
  try {
    policy_.check_repetitions(made, *graph);
    if (!made.interpreted) compile(made, std::move(graph), nullptr);
  } catch (const std::logic_error& bug) {
    made.interpret(std::string("this is a bug in covec: ") + bug.what());
  } catch (...) {
    made.interpret("it was interrupted while it was compiled");
    throw;
  }
}

Value JitCompiler::run_carefully(Compiled& compiled, std::span<Value> args, const LastCalls& last) {
  SmallVector<Value, 8> given(args.size());
  std::ranges::copy(args, given.data());
  return carefully(*last.made, compiled, args, [&] {
    return last.made->plain ? execute(*last.made, span_of(given))
                            : run_again(*last.made, last.captured, span_of(given));
  });
}

// The leaves in Signature's order: captures, arguments, globals.
Value JitCompiler::run_again(const Specialization& made, std::span<const Value> captured, std::span<Value> args) {
  SmallVector<Value, 8> leaves(captured.size() + made.pattern.leaves());
  Value* next = std::ranges::copy(captured, leaves.data()).out;
  for (Value& arg : args) {
    next = copy_leaves(arg, next, made.open);
    arg = Value();  // the leaves are the function's alone now, where nobody else has them
  }
  for (const Value* global : made.globals) next = copy_leaves(*global, next);
  return execute(made, span_of(leaves));
}

Value JitCompiler::run_any(Compiled& compiled, std::span<Value> args, LastCalls& last, uint64_t began) {
  const Value& function = compiled.function();
  Borrowed borrowed(spare_signature_);
  Signature& signature = borrowed.signature();
  const auto interpreted = [&] {
    signature.leaves.clear();  // what is changed in place is not copied for them
    return function.function().call(eager(), args, {});
  };
  Specialization* code = known_open(compiled, args, signature, last);
  if (code == nullptr) {
    const bool describable = describe(compiled, args, signature, false);
    if (signature.holds_more && context_.innermost != nullptr) return interpreted();
    if (describable && signature.level != 0) return run_active(compiled, args, signature, last, began);
    if (!describable)  // the signature is that of a part
      code = find_open(compiled, args, signature);
    else
      code = is_of(last, signature) ? last.made : &find(compiled, args, signature);
  }
  if (code == nullptr) return interpret(compiled, last, Specialization::look_ns(signature.words.size()), interpreted);
  check_strict(compiled, *code);
  if (!has_room(*code)) return interpreted();
  if (last.made == nullptr) {
    Signature captures;
    captures.add(function);
    last.captured = std::move(captures.leaves);
  }
  last.add(*code, table_.generation());
  if (code->recursive) compiled.lend(function.function(), Callable::always);
  const auto by_code = [&] {
    if (code->says_errors_again)
      return carefully(*code, compiled, args, [&] { return execute(*code, signature.leaves); });
    for (Value& arg : args) arg = Value();  // the leaves are the function's alone now, where nobody else has them
    return execute(*code, signature.leaves);
  };
  if (code->stays_code) {
    last.by_interpreter = 0;
    return by_code();
  }
  if (code->interpreted && !code->waits())
    return interpret(compiled, last, Specialization::look_ns(signature.words.size()), interpreted);
  return dispatch(compiled, args, last, *code, began, by_code, interpreted);
}

Value JitCompiler::run_active(Compiled& compiled, std::span<Value> args, Signature& signature, LastCalls& last,
                              uint64_t began) {
  const auto interpreted = [&] {
    signature.leaves.clear();
    return compiled.function().function().call(eager(), args, {});
  };
  if (!can_be_entry(context_, signature)) return interpreted();
  signature.memory = context_.innermost->tape->memory_bound();
  if (signature.memory != 0) signature.words.push_back(signature.memory);
  Specialization& made = find(compiled, args, signature);
  check_strict(compiled, made);
  if (made.interpreted || !has_room(made)) return interpreted();
  const auto by_code = [&] {
    return carefully(made, compiled, args, [&] { return call_active(host_, context_, made, signature); });
  };
  if (made.stays_code) return by_code();
  return dispatch(compiled, args, last, made, began, by_code, interpreted);
}

// Calls that are part of the code count as the interpreter counts them: it says where they are too many.
bool JitCompiler::has_room(const Specialization& made) const {
  return made.frames == 0 || walker_.calls_left(1) > made.frames;
}

Value JitCompiler::execute(const Specialization& made, std::span<Value> inputs) {
  const RunHost::Site site(host_);
  return runtime::run(*made.code.plan, made.code.backend, host_, inputs);
}

// An error is left to the interpreter to say where nothing but draws has happened, which are taken back. What fails
// after an effect says what the program says (Policy::decide).
template <class Run>
Value JitCompiler::carefully(const Specialization& made, Compiled& compiled, std::span<Value> args, Run run) {
  if (!made.says_errors_again) return run();
  const ops::Random random = context_.random;
  const uint64_t effects = host_.effects();
  const auto is_final = [&](ErrorKind kind) { return ends_all(kind) || host_.effects() != effects; };
  try {
    return run();
  } catch (const CovecError& error) {
    if (is_final(error.diagnostics.front().kind)) throw;
  } catch (const OpError& error) {
    if (is_final(error.kind)) throw;
  }
  context_.random = random;
  const Value& function = compiled.function();
  if (!made.code.graph->has_recursion()) return function.function().call(eager(), args, {});
  const LentToItself alone(compiled);
  return function.function().call(eager(), args, {});
}

}  // namespace covec::jit
