// The eager engine: walks the core and computes now. One Interpreter per session; it is nothing but its parts, each of
// which names in its constructor the others that it needs. Values of open activations lie in one contiguous stack whose
// windows are the frames (call_stack.hpp); expressions come back in registers (raw.hpp); break, continue and return are
// status codes, and exceptions are for errors alone. Expressions contain calls, calls run statements, statements
// evaluate expressions: these parts refer to each other in a circle, as the language does; all others hang below it.
// Where to start: Entrance, then Expressions::evaluate, Operators::apply, Calls::call, Statements::execute,
// Updates::update, Comprehensions::map_index; for the compiler StagedStatements::body.
#pragma once

#include "interpreter/eval/assertions.hpp"
#include "interpreter/eval/caught_errors.hpp"
#include "interpreter/eval/compiled_code.hpp"
#include "interpreter/eval/comprehensions.hpp"
#include "interpreter/eval/contractions.hpp"
#include "interpreter/eval/definitions.hpp"
#include "interpreter/eval/entrance.hpp"
#include "interpreter/eval/fields.hpp"
#include "interpreter/eval/literals.hpp"
#include "interpreter/eval/rare_expressions.hpp"
#include "interpreter/eval/signatures.hpp"
#include "interpreter/eval/staged_statements.hpp"
#include "interpreter/eval/staged_values.hpp"
#include "interpreter/eval/updates.hpp"

namespace covec {

class Interpreter {
 public:
  Interpreter(ops::Builder& builder, InterpreterHost& host);
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  Entrance& entrance() { return entrance_; }
  Walker& walker() { return compiled_code_; }
  CallStack& call_stack() { return stack_; }
  const Reporter& reporter() const { return reporter_; }
  void set_keep_globals(bool keep) { calls_.set_keep_globals(keep); }

 private:
  CaughtErrors caught_;
  Reporter reporter_;
  CallStack stack_;
  Applier applier_;
  Iteration iteration_;
  StagedValues staged_values_;
  StagedPaths staged_paths_;
  StagedLists staged_lists_;
  StagedChoices staged_choices_;
  StagedLoops staged_loops_;
  StagedStatements staged_statements_;
  Expressions expressions_;
  RareExpressions rare_;
  Operators operators_;
  Binding binding_;
  Signatures signatures_;
  Calls calls_;
  Literals literals_;
  Definitions definitions_;
  Fields fields_;
  Indexing indexing_;
  Comprehensions comprehensions_;
  Contractions contractions_;
  Places places_;
  Updates updates_;
  Assertions assertions_;
  Statements statements_;
  Entrance entrance_;
  CompiledCode compiled_code_;
};

}  // namespace covec
