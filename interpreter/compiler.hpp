// The interface between the interpreter and the compiler; they know nothing else of each other. The composition root
// gives a session its compiler (SessionOptions::make_compiler). A session without one runs everything eagerly, with the
// same results.
//
// A function is compiled by walking it once with symbols for its arguments ("staging"). The interpreter is the walker,
// so names, calls, records, comprehensions and derivatives mean what they always mean. The compiler's ops::Builder
// records each operator applied. If the walk meets a condition or a count that only the run knows, it asks Staging to
// make a branch or a loop of it. Start at Compiler (stdlib/value/compiler.hpp), then Staging (what the compiler does
// for the walk) and Walker (what the walk does for the compiler).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/core/core.hpp"
#include "frontend/source/source.hpp"
#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/value/callable.hpp"
#include "stdlib/value/compiler.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/function_ref.hpp"
#include "stdlib/value/value.hpp"

namespace covec {

class Session;
class Walker;

// Defined where a compiler is built in.
std::unique_ptr<Compiler> make_compiler(Session& session);

// How a statement or block ended. Compiled code holds the same numbers.
enum class Flow : uint8_t { next, break_, continue_, return_, staged };  // staged: only the run knows

// Where the walk is, for errors: what stands in the program, and the call that it runs in (a number that enter() gave).
struct StagedSource {
  const StagedSource* outer = nullptr;
  Span whole;
  std::span<const Span> operands;
  const ops::Entry* entry = nullptr;
  uint32_t frame = 0;
  mutable uint32_t number = 0;  // the compiler's, once it has one
};

// Calls of functions that call themselves, as the walk meets them.
class StagedRecursion {
 public:
  virtual ~StagedRecursion() = default;
  // The walk has met the compiled function inside itself, `deeper` calls deeper, with these arguments: what it gives
  // there, or nothing where only the interpreter can call it.
  virtual std::optional<Value> itself(std::span<const Value> args, unsigned deeper) = 0;
  // Whether these are arguments that a compiled function of numbers may call itself with.
  virtual bool may_be_itself(std::span<const Value> args) const = 0;
  // Functions that call themselves as often as only the run knows. A walk that finds one notes it and starts again.
  // call() is the outermost call: `slots` are what its frame holds, and body() walks the function with what is put
  // there and gives its result. call_inside() is a call from inside of it; `depth` counts the open calls. Either may
  // give nothing: then the call must be walked as any other.
  virtual bool is_recursive(const core::Function& function) const = 0;
  virtual void note_recursive(const core::Function& function) = 0;
  virtual std::optional<Value> call(const core::Function& function, std::span<const Value> captured,
                                    std::vector<Value*> slots, unsigned depth, FunctionRef<Value()> body) = 0;
  virtual std::optional<Value> call_inside(const core::Function& function, std::span<const Value> captured,
                                           std::span<const Value> slots, unsigned depth) = 0;
};

// A statement that the walk of a function reaches or leaves, and the function's slots then.
struct StagedStep {
  enum class Moment : uint8_t { before, bound, after };  // bound: the targets of a `for` have an item
  Moment moment;
  const core::Stmt& statement;
  const core::Function& function;
  const Value* slots;
};

class Staging {
 public:
  virtual ~Staging() = default;
  // Tools look at the walk.
  using Watch = std::function<void(const StagedStep&)>;
  void set_watch(Watch watch) { watch_ = std::move(watch); }
  void passes(const StagedStep& step) const {
    if (watch_) watch_(step);
  }
  // The variables that a branch or loop may change. Afterwards they hold what they are then; what only one path has
  // defined reads as unbound until defined() is asked. What is known of such a variable goes with its value, wherever
  // that is copied.
  using Variables = std::vector<Value*>;

  // A condition that must hold, where nothing can be interpreted: if it does not, the interpreter makes the whole call
  // again and raises the error.
  virtual void require(const Value& holds) = 0;
  // How many statements the interpreter is to run so far, and why each.
  virtual size_t unstaged() const = 0;
  virtual std::string why_unstaged(size_t number) const = 0;
  virtual StagedRecursion& recursion() = 0;
  // Two extents that have been seen to agree.
  virtual void assume_equal(Dim a, Dim b) = 0;
  // The same parameter, of which the extent along an axis is known from the start.
  virtual Value with_extent(const Value& parameter, unsigned axis, int64_t extent) = 0;
  virtual void branch(const Value& condition, const Variables& variables, FunctionRef<void()> then,
                      FunctionRef<void()> otherwise) = 0;
  // body(index) for index = 0 … count − 1. It is walked once or a few times, whatever the count, and gives whether to
  // go on (none: yes).
  virtual void repeat(const Value& count, const Variables& variables, FunctionRef<Value(const Value& index)> body) = 0;
  virtual void loop(const Variables& variables, FunctionRef<Value()> condition, FunctionRef<Value()> body) = 0;
  // Whether the walk is inside one of these two.
  virtual bool in_loop() const = 0;

  // Variable `variable` is unbound, but some path may have defined it: what it holds then, and whether (a bool). False:
  // no path has.
  virtual bool defined(const Value* variable, Value& value, Value& is_defined) = 0;

  // What may be none as far as the walk knows, used as what it holds: the run must see that it is there.
  virtual Value present(const Value& value) = 0;

  // A walk into a function; gives the frame's number.
  static constexpr uint32_t no_caller = UINT32_MAX;
  virtual uint32_t enter(const Callable& closure, uint32_t caller, Span site) = 0;
  // The globals as the walk into `function` is to see them.
  // `given_rules`: slots of functions that get rules while functions run (ModuleScope).
  virtual Value* globals(const core::Function& function, Value* globals, std::span<const uint32_t> given_rules) = 0;
  virtual void set_place(const StagedSource* place) = 0;
  virtual const StagedSource* place() const = 0;

  // Statements that cannot be staged. mark() before one is walked, rollback() when that failed; then, if
  // may_interpret() (no derivative or vmap is open), interpret() puts in a call of the interpreter.
  virtual size_t mark() = 0;
  // How far the walk has come; and whether anything since then draws, prints or reads what is outside, so that doing it
  // again would tell.
  virtual size_t staged() const = 0;
  virtual bool has_effects(size_t since) const = 0;
  virtual bool draws(size_t since) const = 0;  // random numbers
  virtual void rollback(size_t mark) = 0;
  virtual bool may_interpret() const = 0;
  struct Unstaged {
    const core::Stmt* statement;
    uint32_t frame;               // as enter() gave it
    std::vector<uint32_t> reads;  // slots
    std::vector<uint32_t> writes;
    bool exits = false;  // contains break, continue or return
    std::string reason;
    Span at;
    bool only_fails = false;  // stands where the statement is known to raise its error
  };
  // `slots` are the frame's; written ones get what the run will have put there. Gives how it ends (Flow as an i64
  // number or symbol); `result` is what it returns then.
  virtual Value interpret(const Unstaged& unstaged, Value* slots, Value& result) = 0;

 private:
  Watch watch_;
};

// A call in which something runs, innermost first.
struct WalkedCall {
  Value closure;
  Span site;  // where it was called; unknown for the outermost: the current place
};

// The call of a built-in module's function that the program has written.
struct ProgramCall {
  Span site;
  std::string function;  // "fft.fft"
};

class Walker {
 public:
  virtual ~Walker() = default;
  // Calls `function` with `builder` applying operators and `staging` making control flow, and hands the result to
  // `then` while they still do: a sweep over what was walked may call functions again. Throws CovecError or OpError
  // where the walk cannot go on.
  virtual void stage(const Value& function, std::span<Value> args, ops::Builder& builder, Staging& staging,
                     FunctionRef<void(Value)> then) = 0;
  // Throws the located error of an operation in `calls`.
  [[noreturn]] virtual void raise_in(const OpError& error, const StagedSource& place,
                                     std::span<const WalkedCall> calls) = 0;
  // Runs one statement of calls[0]'s function. `slots` has all of its slots; gives how it ended and `result` when it
  // returned.
  virtual Flow run_statement(const core::Stmt& statement, std::span<Value> slots, std::span<const WalkedCall> calls,
                             Value& result) = 0;
  // f(), an operator that calls functions, in `calls`.
  virtual Value within(std::span<const WalkedCall> calls, FunctionRef<Value()> f) = 0;
  // Calls any function from a place of `calls`.
  virtual Value call_in(const Value& function, std::span<Value> args, const StagedSource& place,
                        std::span<const WalkedCall> calls) = 0;
  // How many more calls, each of so many bytes of the machine's stack, may be open at once.
  virtual int64_t calls_left(size_t bytes) const = 0;
  // The call that led from the program to this place in `calls`. Nothing: the place stands in the program's own text.
  virtual std::optional<ProgramCall> call_of_program(Span place, std::span<const WalkedCall> calls) const = 0;
  // Where it stands: "model.covec:7".
  virtual std::string place_text(Span span) const = 0;
  // The text there.
  virtual std::string_view source(Span span) const = 0;
  virtual ops::Builder& eager_builder() = 0;
};

// The parts of a closure that code is keyed on; nullptr for other callables.
struct ClosureParts {
  const core::Function* function;
  Value* globals;
  const void* source_unit;  // the text that it stands in: Compiler::forget says when it goes
};
bool closure_parts(const Callable& callable, ClosureParts& parts);
// A value for compiled code to keep: the same, but for its closures, which do not keep their texts.
Value kept_in_code(const Value& value);
// Holds the texts that are there now.
std::shared_ptr<const void> texts_of(Session& session);
Walker& walker_of(Session& session);
ops::Context& context_of(Session& session);

}  // namespace covec
