// The interface through which a running compiled function asks the interpreter's side. The host raises errors at their
// places in the program, runs statements that were not compiled, and gives the eager engine. Implemented in
// jit/compiler.
#pragma once

#include <span>

#include "jit/ir/graph.hpp"
#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/value/error.hpp"
#include "stdlib/value/function_ref.hpp"
#include "stdlib/value/messages.hpp"

namespace covec::runtime {

class Host {
 public:
  explicit Host(ops::Builder& eager) : eager_(eager) {}
  virtual ~Host() = default;
  ops::Builder& eager() const { return eager_; }
  // Where the running function was called (Context::site).
  virtual const Span* call_site() const { return nullptr; }
  // Throws the program's error for what went wrong in an operation of `place`.
  [[noreturn]] virtual void raise(const OpError& error, const ir::Graph& graph, uint32_t place) = 0;
  // Runs op (Kind::interpret): `live` are its args' values, `results` has room for one Value per assigned variable
  // (unbound where it got none). Gives how the statements ended (op.exits), 0: they fell through. Throws the program's
  // errors.
  virtual int64_t interpret(const ir::Operation& op, const ir::Graph& graph, std::span<Value> live,
                            std::span<Value> results) = 0;
  // f(), an operation of `place` that calls functions: they are called from there.
  virtual Value within(FunctionRef<Value()> f, const ir::Graph& graph, uint32_t place) = 0;
  // Calls a callable from `place`.
  virtual Value call(const Value& function, std::span<Value> args, const ir::Graph& graph, uint32_t place) = 0;

  // The call is given up, as only the interpreter can say what is wrong: it makes the call again. too_deep: functions
  // that call themselves; routine: one of these has failed, whatever the reason.
  enum class Again : uint8_t { too_deep, routine };
  [[noreturn]] virtual void replay(Again) { fail(message("internal"), {"a call that is replayed"}); }

  // How many calls, each of so many bytes of the machine's stack, may be made inside the one that runs.
  virtual int64_t calls_left(size_t bytes) const = 0;

  // What has been done so far that cannot be done again (files, statements and calls of the interpreter's).
  uint64_t effects() const { return effects_; }
  void note_effect() { ++effects_; }
  uint64_t prints() const { return prints_; }
  void note_print() { ++prints_; }

 private:
  uint64_t effects_ = 0, prints_ = 0;
  ops::Builder& eager_;
};

// f(), whose error is raised where the program has the operation of `place`.
template <class F>
auto at_place(Host& host, const ir::Graph& graph, uint32_t place, F f) {
  try {
    return f();
  } catch (...) {
    host.raise(current_error(), graph, place);
    throw;  // it never comes back
  }
}

}  // namespace covec::runtime
