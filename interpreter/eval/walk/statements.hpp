// Statements: each returns how it ended (Flow: break, continue and return are status codes, exceptions are for errors
// alone). Loops check the interrupt flag once in each iteration. Start at run().
#pragma once

#include "interpreter/compiler.hpp"
#include "interpreter/eval/apply/bounded_loops.hpp"
#include "interpreter/eval/walk/operators.hpp"
#include "stdlib/value/tree.hpp"

namespace covec {

struct Parts;

class Statements {
 public:
  explicit Statements(Parts& parts) : parts_(parts) {}

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
  Flow run_iterations(const core::For& node, Frame& f);
  Flow run_iterations(const core::For& node, const Value& iterable, Frame& f);
  Flow text_loop(const core::For& node, const String& text, Frame& f);
  Flow range_loop(const core::For& node, const Range& range, Frame& f);

  Parts& parts_;
};

}  // namespace covec
