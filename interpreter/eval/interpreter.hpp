// The eager engine: walks the core and computes at once. There is one Interpreter per session. Values of open
// activations lie in one contiguous stack whose windows are the frames (apply/call_stack.hpp). Expressions return their
// values in registers (values/raw.hpp). break, continue and return are status codes; exceptions are for errors alone.
//
// Rooms, each of which sees those before it:
//
//   values   frames, closures, modules, and numbers that travel in registers
//   report   messages, hints, and what the user is told of an error
//   apply    applying operators, the value stack, iterating
//   walk     expressions, calls, statements, updates: they call each other, as in the language (walk/parts.hpp)
//   staged   the same walk while a function is staged for the compiler (staged/parts.hpp)
#pragma once

#include "interpreter/eval/staged/compiled_code.hpp"
#include "interpreter/eval/staged/parts.hpp"

namespace covec {

class Interpreter {
 public:
  // The two refer to each other: neither uses the other before both are made.
  Interpreter(ops::Builder& builder, InterpreterHost& host) : parts_(builder, host, staged_) {}
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  ClosureRunner& closure_runner() { return parts_.closure_runner; }
  Walker& walker() { return compiled_code_; }
  CallStack& call_stack() { return parts_.stack; }
  const Reporter& reporter() const { return parts_.reporter; }
  SavedFrames& saved_frames() { return parts_.saved_frames; }
  // Whether numbers go to the builder one by one. Texts that have run already must forget their choices (core::Unit).
  void watch_numbers(bool on) { parts_.applier.watch_numbers(on); }
  void set_keep_globals(bool keep) { parts_.calls.set_keep_globals(keep); }

 private:
  StagedParts staged_{parts_};
  Parts parts_;
  CompiledCode compiled_code_{parts_};
};

}  // namespace covec
