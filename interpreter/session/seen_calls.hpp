// SeenCalls: the calls that a prompt looks at, after an error or at a breakpoint, innermost first. Each has a scope of
// its own, a module that holds copies of what its variables and those around it hold; inputs run there. At a breakpoint
// keep_assignments() writes back what has changed. Under derivatives variables have their primal values, and of a vmap
// all examples at once. Start reading at scope_of().
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/eval/report/saved_frames.hpp"
#include "interpreter/session/session.hpp"

namespace covec {

class SeenCalls {
 public:
  // Those of an error that has ended a run; none where nothing is known of it.
  static SeenCalls of_error(Session& session, const CovecError& error);
  // Those that are open now.
  static SeenCalls of_breakpoint(Session& session);
  ~SeenCalls();
  SeenCalls(const SeenCalls&) = delete;
  SeenCalls& operator=(const SeenCalls&) = delete;

  size_t size() const { return calls_.size(); }
  bool has_variables(size_t call) const { return calls_[call].frame.has_variables; }
  size_t left_out(size_t call) const { return calls_[call].frame.left_out; }  // 0: it is one call
  std::string name(size_t call) const;                                        // "f(x)"; "" of a module's own text
  Span place(size_t call) const { return calls_[call].frame.place; }

  struct Variable {
    enum class State : uint8_t { held, moved, unassigned };
    std::string_view name;
    State state = State::held;
    Value value = {};
    bool captured = false;  // of an enclosing function
  };
  std::vector<Variable> variables(size_t call) const;
  Session::Input run(size_t call, std::string_view text);
  // What inputs have assigned to variables becomes theirs, and new names those of a module's text. Gives the names that
  // belong to other calls, and keep theirs.
  std::vector<std::string> keep_assignments();

 private:
  // Where a name of a scope comes from, and what it held.
  struct Origin {
    enum class From : uint8_t { around, capture, slot } from = From::around;
    uint32_t index = 0;
    Value given = {};
  };
  struct Call {
    SavedFrame frame;
    Module* scope = nullptr;
    std::vector<Origin> origins;  // of the scope's first names
  };
  SeenCalls(Session& session, std::vector<SavedFrame> frames);
  Module& scope_of(Call& call);
  const Value* globals_of(const SavedFrame& frame) const;
  const Value* assigned(const Call& call, std::string_view name) const;
  static void give(Call& call, std::string_view name, Origin origin);

  Session& session_;
  std::vector<Call> calls_;
};

}  // namespace covec
