// StagedStatements: walks functions and statements while a function is staged for the compiler (see
// interpreter/compiler.hpp). A choice whose condition only the run knows becomes a branch of Staging. Everything known
// is walked as always. If a statement cannot be staged, its operations are removed, and a call of the interpreter
// replaces them. Start at body(), then statements().
#pragma once

#include <memory>
#include <optional>

#include "interpreter/eval/staged/loops.hpp"
#include "interpreter/eval/staged/recursion.hpp"
#include "interpreter/eval/walk/statements.hpp"

namespace covec {

struct StagedParts;

class StagedStatements {
 public:
  explicit StagedStatements(StagedParts& parts) : parts_(parts) {}

  // A function's frame opens.
  void enter(Frame& f) const;
  Raw body(const core::Function& function, Frame& frame);

 private:
  using Rest = std::span<const core::Stmt* const>;  // the statements from here to the end of the block
  // How a statement ended; or how the whole block did, where the statement has taken what follows it with it.
  struct End {
    Flow flow;
    bool rest_done = false;
  };
  Flow walk(const core::Block& block, Frame& f);
  Flow walk(Rest statements, Frame& f);
  End statement(const core::Stmt& stmt, Rest rest, Frame& f);
  void passes(StagedStep::Moment moment, const core::Stmt& stmt, const Frame& f) const;
  End execute(const core::Stmt& stmt, Rest rest, Frame& f);
  End choose(const core::If& node, Rest rest, Frame& f);
  Flow check(const core::Assert& node, Frame& f);
  Value result_of(const core::Function& function, Flow flow, Frame& f) const;
  bool must_pass(ErrorKind kind, const Frame& f) const;
  std::optional<Value> itself(const Frame& f, const CallsOfItself& calls) const;
  std::optional<Value> recursion(const core::Function& function, Frame& f, const CallsOfItself& calls);
  Value walk_function(const core::Function& function, Frame& frame, StagedExit& exit);
  [[noreturn]] void stop_recursion(const Frame& f, const Frame& outer) const;

  StagedParts& parts_;
};

}  // namespace covec
