// Expressions: what an expression evaluates to, and what a condition says. The commonest kinds are handled here, the
// others by parts of their own (rare_expressions.hpp). Start at evaluate().
#pragma once

#include "interpreter/eval/call_stack.hpp"
#include "interpreter/eval/frame.hpp"
#include "interpreter/eval/reporter.hpp"

namespace covec {

class Calls;
class RareExpressions;
class StagedChoices;
class StagedValues;

class Expressions {
 public:
  Expressions(CallStack& stack, const Reporter& reporter, Operators& operators, Calls& calls, RareExpressions& rare,
              StagedChoices& staged_choices, const StagedValues& staged_values)
      : stack_(stack),
        reporter_(reporter),
        operators_(operators),
        calls_(calls),
        rare_(rare),
        staged_choices_(staged_choices),
        staged_values_(staged_values) {}

  Raw evaluate(const core::Expr& expr, Frame& f);
  Value value_of(const core::Expr& expr, Frame& f) { return own(evaluate(expr, f)); }
  bool condition(const core::Expr& expr, Frame& f);
  // Of a condition's value, or of an operand of `logical`.
  bool truth(const Value& value, const core::Expr& expr, const Frame& f, const char* logical = nullptr) const;
  [[noreturn, gnu::cold]] void unbound_global(const core::Global& node, const Frame& f) const;
  [[noreturn, gnu::cold]] void unbound_capture(const core::Capture& node, const Frame& f) const;

 private:
  Raw select(const core::Select& node, Frame& f);
  [[gnu::cold]] Raw unbound_local(const core::Local& node, const Frame& f) const;

  CallStack& stack_;
  const Reporter& reporter_;
  Operators& operators_;
  Calls& calls_;
  RareExpressions& rare_;
  StagedChoices& staged_choices_;
  const StagedValues& staged_values_;
};

}  // namespace covec
