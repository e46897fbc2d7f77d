// Parts: the walk, split by features of the language. Each part keeps a reference to all of them, since expressions
// contain calls, calls run statements and statements evaluate expressions. The layers below them (rooms values, report
// and apply) know nothing of them. The compiler's walk stands above and is asked through StagedWalk. Where to start:
// ClosureRunner, then Expressions::evaluate, Operators::apply, Calls::call, Statements::execute, Updates::update,
// Comprehensions::map_index.
#pragma once

#include "interpreter/eval/apply/applier.hpp"
#include "interpreter/eval/apply/bounded_loops.hpp"
#include "interpreter/eval/apply/call_stack.hpp"
#include "interpreter/eval/apply/iteration.hpp"
#include "interpreter/eval/apply/staged_walk.hpp"
#include "interpreter/eval/report/caught_errors.hpp"
#include "interpreter/eval/report/reporter.hpp"
#include "interpreter/eval/walk/assertions.hpp"
#include "interpreter/eval/walk/binding.hpp"
#include "interpreter/eval/walk/calls.hpp"
#include "interpreter/eval/walk/closure_runner.hpp"
#include "interpreter/eval/walk/comprehensions.hpp"
#include "interpreter/eval/walk/contractions.hpp"
#include "interpreter/eval/walk/definitions.hpp"
#include "interpreter/eval/walk/expressions.hpp"
#include "interpreter/eval/walk/fields.hpp"
#include "interpreter/eval/walk/indexing.hpp"
#include "interpreter/eval/walk/literals.hpp"
#include "interpreter/eval/walk/operators.hpp"
#include "interpreter/eval/walk/rare_expressions.hpp"
#include "interpreter/eval/walk/signatures.hpp"
#include "interpreter/eval/walk/statements.hpp"
#include "interpreter/eval/walk/update_path.hpp"
#include "interpreter/eval/walk/updates.hpp"

namespace covec {

struct Parts {
  Parts(ops::Builder& builder, InterpreterHost& of_session, StagedWalk& of_compiler)
      : host(of_session),
        staged(of_compiler),
        caught(host),
        reporter(host, caught, saved_frames),
        stack(builder.context(), reporter),
        applier(builder, reporter),
        iteration(applier, reporter) {}
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  InterpreterHost& host;
  StagedWalk& staged;
  CaughtErrors caught;
  SavedFrames saved_frames;
  Reporter reporter;
  CallStack stack;
  Applier applier;
  Iteration iteration;
  BoundedLoops bounded_loops{stack};
  Expressions expressions{*this};
  RareExpressions rare{*this};
  Operators operators{*this};
  Binding binding{*this};
  Signatures signatures{*this};
  Calls calls{*this};
  Literals literals{*this};
  Definitions definitions{*this};
  Fields fields{*this};
  Indexing indexing{*this};
  Comprehensions comprehensions{*this};
  Contractions contractions{*this};
  UpdatePath places{*this};
  Updates updates{*this};
  Assertions assertions{*this};
  Statements statements{*this};
  ClosureRunner closure_runner{*this};
};

// The commonest operands first: a number in a variable, a constant number.
inline Raw Operators::operand(const core::Expr& expr, Frame& f) {
  if (expr.kind == core::ExprKind::local) {
    const Value& slot = f.slots[static_cast<const core::Local&>(expr).slot];
    if (slot.is_scalar()) return number(slot);
  } else if (expr.kind == core::ExprKind::constant) {
    const Value& value = f.constants[static_cast<const core::Constant&>(expr).id];
    if (value.is_scalar()) return number(value);
  } else if (expr.kind == core::ExprKind::op) {
    return apply(static_cast<const core::Op&>(expr), f);
  }
  return parts_.expressions.evaluate(expr, f);
}

}  // namespace covec
