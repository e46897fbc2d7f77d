// Statements: each says how it ended (Flow: break, continue and return are status codes, exceptions are for errors
// alone); loops poll the interrupt flag once in each pass. Start at run().
#pragma once

#include "interpreter/compiler.hpp"
#include "interpreter/eval/bounded_loops.hpp"
#include "interpreter/eval/operators.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

class Assertions;
class CaughtErrors;
class Definitions;
class Iteration;

class Statements {
 public:
  Statements(CallStack& stack, const Reporter& reporter, InterpreterHost& host, Expressions& expressions,
             Operators& operators, Updates& updates, const Iteration& iteration, Definitions& definitions,
             Assertions& assertions, CaughtErrors& caught)
      : stack_(stack),
        reporter_(reporter),
        host_(host),
        expressions_(expressions),
        operators_(operators),
        updates_(updates),
        iteration_(iteration),
        definitions_(definitions),
        assertions_(assertions),
        caught_(caught),
        bounded_loops_(stack) {}

  // A statement of a function's own body, or of a text's: its place is that of what nothing in it has a place for, such
  // as the system's having no more memory.
  Flow run(const core::Stmt& stmt, Frame& f);
  Flow execute(const core::Stmt& stmt, Frame& f);

 private:
  Flow execute(const core::Block& block, Frame& f);
  Flow execute_if(const core::If& node, Frame& f);
  Flow execute_return(const core::Return& node, Frame& f);
  Flow execute_rest(const core::Stmt& stmt, Frame& f);
  Flow execute_try(const core::Try& node, Frame& f);
  Flow define(const core::Assign& node, Frame& f);
  Flow loop(const core::While& node, Frame& f);
  Flow loop(const core::For& node, Frame& f);
  Flow bounded(const autodiff::OpenLevel& level, const core::While& node, Frame& f);
  Flow bounded(const autodiff::OpenLevel& level, const core::For& node, Frame& f);
  Flow passes(const core::For& node, Frame& f);
  Flow text_loop(const core::For& node, const String& text, Frame& f);
  Flow range_loop(const core::For& node, const Range& range, Frame& f);

  CallStack& stack_;
  const Reporter& reporter_;
  InterpreterHost& host_;
  Expressions& expressions_;
  Operators& operators_;
  Updates& updates_;
  const Iteration& iteration_;
  Definitions& definitions_;
  Assertions& assertions_;
  CaughtErrors& caught_;
  const BoundedLoops bounded_loops_;
};

}  // namespace covec
