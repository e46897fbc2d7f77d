// Calls compiled functions: finds the code that fits, decides who runs the call (jit/dispatch), and handles calls that
// code cannot finish. Start at CallRunner::run.
#include "jit/compiler/call_runner.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "frontend/source/diagnostic.hpp"
#include "jit/compiler/active_call.hpp"
#include "jit/compiler/explain.hpp"
#include "jit/compiler/parts.hpp"
#include "jit/specialize/share.hpp"
#include "stdlib/autodiff/collectives.hpp"
#include "stdlib/autodiff/tape.hpp"
#include "stdlib/gate/repeated_effects.hpp"
#include "stdlib/gate/repeated_output.hpp"
#include "stdlib/value/messages.hpp"
#include "stdlib/value/small_vector.hpp"

namespace covec::jit {

namespace {

constexpr const char* too_much_kept =
    "files, or other results from outside, that are too large to be kept until the end";

void check_strict(const Compiled& compiled, const Specialization& made) {
  if (compiled.suits(made)) return;
  fail(message("compile_strict"), {compiled.function().function().name(), reason_text(made.why_not_whole())});
}

// While the interpreter replays a call, the calls inside it are the interpreter's, too.
class InterpreterTier {
 public:
  explicit InterpreterTier(Compiled& compiled) : compiled_(compiled) {
    compiled.set_tier(compiled.function().function(), Callable::always);
  }
  InterpreterTier(const InterpreterTier&) = delete;
  InterpreterTier& operator=(const InterpreterTier&) = delete;
  ~InterpreterTier() { compiled_.clear_tier(); }

 private:
  Compiled& compiled_;
};

// A signature with the memory of an earlier one.
class ReusedSignature {
 public:
  explicit ReusedSignature(Signature& spare) : spare_(spare), signature_(std::exchange(spare, Signature())) {}
  ReusedSignature(const ReusedSignature&) = delete;
  ReusedSignature& operator=(const ReusedSignature&) = delete;
  ~ReusedSignature() {
    signature_.clear();
    spare_ = std::move(signature_);
  }
  Signature& signature() { return signature_; }

 private:
  Signature& spare_;
  Signature signature_;
};

}  // namespace

CallRunner::CallRunner(CompilerParts& parts) : parts_(parts), eager_(parts.host.eager()) {}

Value CallRunner::run(Compiled& compiled, std::span<Value> args, LastCalls& last) {
  const bool known = last.made != nullptr && last.generation == parts_.table.generation();
  if ((!known || last.made->watch.on()) && !watching_) [[unlikely]]
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
Value CallRunner::run_watched(Compiled& compiled, std::span<Value> args, LastCalls& last) {
  const auto before = std::chrono::steady_clock::now();
  const uint64_t by_interpreter = parts_.host.interpreted();
  Value result;
  {
    const Watching watching(watching_);
    result = run_any_way(compiled, args, last);
  }
  const Specialization* const made = last.made;
  if (made == nullptr || last.generation != parts_.table.generation() || !made->watch.on()) return result;
  const auto nanoseconds = std::chrono::nanoseconds(std::chrono::steady_clock::now() - before).count();
  const uint64_t taken = static_cast<uint64_t>(nanoseconds) * last.stands_for;
  const bool told = made->watch.add(taken, made->interpreted ? taken : parts_.host.interpreted() - by_interpreter);
  if (told && parts_.context.output != nullptr) parts_.context.output->warn(cliff_text(parts_.walker, *made));
  return result;
}

Value CallRunner::run_any_way(Compiled& compiled, std::span<Value> args, LastCalls& last) {
  if (compiled.body != nullptr || !parts_.policy.enabled) [[unlikely]] {
    if (compiled.body != nullptr) compiled.count_tier_call();
    return compiled.function().function().call_bound(eager(), args);
  }
  const uint64_t began = last.may_be_timed > 0 ? parts_.tiering.now() : 0;
  last.may_be_timed -= began != 0;
  Specialization* const made = last.find(args, parts_.table.generation());
  if (made == nullptr || !can_run(*made)) return run_any(compiled, args, last, began);
  last.made = made;
  if (made->stays_code) {
    last.by_interpreter = 0;
    return run_code(compiled, args, last);
  }
  return parts_.tiering.dispatch(
      compiled, args, last, *made, began, [&] { return run_code(compiled, args, last); },
      [&] { return compiled.function().function().call_bound(eager(), args); });
}

Value CallRunner::run_code(Compiled& compiled, std::span<Value> args, const LastCalls& last) {
  if (last.made->replays_errors) return run_with_replay(compiled, args, last);
  return last.made->guard.plain ? execute(*last.made, args) : run_last(*last.made, last.captured, args);
}

Value CallRunner::run_with_replay(Compiled& compiled, std::span<Value> args, const LastCalls& last) {
  SmallVector<Value, 8> given(args.size());
  std::ranges::copy(args, given.data());
  return with_replay(*last.made, compiled, args, [&] {
    return last.made->guard.plain ? execute(*last.made, span_of(given))
                                  : run_last(*last.made, last.captured, span_of(given));
  });
}

// The leaves in Signature's order: captures, arguments, globals.
Value CallRunner::run_last(const Specialization& made, std::span<const Value> captured, std::span<Value> args) {
  SmallVector<Value, 8> leaves(captured.size() + made.guard.pattern.leaves());
  Value* next = std::ranges::copy(captured, leaves.data()).out;
  for (Value& arg : args) {
    next = copy_leaves(arg, next, made.key.generic);
    arg = Value();  // the leaves are the function's alone now, where nobody else has them
  }
  for (const Value* global : made.key.globals) next = copy_leaves(*global, next);
  return execute(made, span_of(leaves));
}

Value CallRunner::run_any(Compiled& compiled, std::span<Value> args, LastCalls& last, uint64_t began) {
  const Value& function = compiled.function();
  ReusedSignature reused(spare_signature_);
  Signature& signature = reused.signature();
  const auto interpreted = [&] {
    signature.leaves.clear();  // what is changed in place is not copied for them
    return function.function().call_bound(eager(), args);
  };
  Specializer& specializer = parts_.specializer;
  Specialization* code = specializer.known_generic(compiled, args, signature, last);
  if (code == nullptr) {
    const bool describable = specializer.describe(compiled, args, signature, false);
    if (signature.holds_more && parts_.context.innermost != nullptr) return interpreted();
    if (describable && signature.level != 0) return run_active(compiled, args, signature, last, began);
    if (!describable)  // the signature is that of a part
      code = specializer.find_generic(compiled, args, signature);
    else
      code = specializer.is_of(last, signature) ? last.made : &specializer.find(compiled, args, signature);
  }
  const uint64_t look = Specialization::check_ns(signature.words.size());
  if (code == nullptr) return parts_.tiering.interpret(compiled, last, look, interpreted);
  check_strict(compiled, *code);
  if (!can_run(*code)) return interpreted();
  if (last.made == nullptr) {
    Signature captures;
    captures.add(function);
    last.captured = std::move(captures.leaves);
  }
  last.add(*code, parts_.table.generation());
  if (code->recursive) compiled.set_tier(function.function(), Callable::always);
  const auto by_code = [&] {
    if (code->replays_errors)
      return with_replay(*code, compiled, args, [&] { return execute(*code, signature.leaves); });
    for (Value& arg : args) arg = Value();  // the leaves are the function's alone now, where nobody else has them
    return execute(*code, signature.leaves);
  };
  if (code->stays_code) {
    last.by_interpreter = 0;
    return by_code();
  }
  if (code->interpreted && !code->waits()) return parts_.tiering.interpret(compiled, last, look, interpreted);
  return parts_.tiering.dispatch(compiled, args, last, *code, began, by_code, interpreted);
}

Value CallRunner::run_active(Compiled& compiled, std::span<Value> args, Signature& signature, LastCalls& last,
                             uint64_t began) {
  const auto interpreted = [&] {
    signature.leaves.clear();
    return compiled.function().function().call_bound(eager(), args);
  };
  if (!can_be_entry(parts_.context, signature)) return interpreted();
  signature.memory = parts_.context.innermost->tape->memory_bound();
  if (signature.memory != 0) signature.words.push_back(signature.memory);
  Specialization& made = parts_.specializer.find(compiled, args, signature);
  check_strict(compiled, made);
  if (made.interpreted || !can_run(made)) return interpreted();
  const auto by_code = [&] {
    return with_replay(made, compiled, args, [&] { return call_active(parts_.host, parts_.context, made, signature); });
  };
  if (made.stays_code) return by_code();
  return parts_.tiering.dispatch(compiled, args, last, made, began, by_code, interpreted);
}

// Calls that are part of the code count as the interpreter counts them: it says where they are too many. Derivatives
// follow collectives one by one, in the order of the program.
bool CallRunner::can_run(const Specialization& made) const {
  if (made.acts && autodiff::innermost_follower(parts_.context) != nullptr) return false;
  return made.frames == 0 || parts_.walker.calls_left(1) > made.frames;
}

Value CallRunner::execute(const Specialization& made, std::span<Value> inputs) {
  const RunHost::Site site(parts_.host);
  return runtime::run(*made.code.plan, made.code.backend, parts_.host, inputs);
}

// An error is left to the interpreter to say. Draws are taken back for it, and what has been printed or done outside is
// not printed or done again. What fails after a print or another effect says what the program says where all that the
// interpreter has to say comes before (Policy::check_repetitions).
template <class Run>
Value CallRunner::with_replay(Specialization& made, Compiled& compiled, std::span<Value> args, Run run) {
  if (!made.replays_errors) return run();
  const ops::Random random = parts_.context.random;
  ops::RepeatedEffects effects(parts_.context, made.repeats_effects, parts_.policy.max_journal);
  ops::RepeatedOutput output(parts_.context, effects.journal());
  const auto done = [&, prints = !made.repeats_prints, acts = !made.repeats_effects] {
    return (acts ? parts_.host.effects() : 0) + (prints ? parts_.host.prints() : 0);
  };
  const uint64_t before = done();
  const auto is_final = [&](ErrorKind kind) { return ends_all(kind) || (done() != before && !effects.is_full()); };
  try {
    return run();
  } catch (const CovecError& error) {
    if (is_final(error.diagnostics.front().kind)) throw;
  } catch (const OpError& error) {
    if (is_final(error.kind)) throw;
  }
  const ops::Random reached = std::exchange(parts_.context.random, random);
  output.begin_again();
  effects.begin_again();
  if (effects.is_full() && !compiled.request().strict) {
    made.may_replay = false;
    parts_.table.invalidate(made, too_much_kept);
  }
  // If something ends the repetition, the program has come as far as the code had.
  const auto keep_draws = [&](ErrorKind kind) {
    if (ends_all(kind)) parts_.context.random = reached;
  };
  try {
    std::optional<InterpreterTier> alone;
    if (made.code.graph->has_recursion()) alone.emplace(compiled);
    return compiled.function().function().call_bound(eager(), args);
  } catch (const CovecError& error) {
    keep_draws(error.diagnostics.front().kind);
    throw;
  } catch (const OpError& error) {
    keep_draws(error.kind);
    throw;
  }
}

}  // namespace covec::jit
