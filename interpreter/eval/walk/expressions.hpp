// Expressions: evaluates expressions and conditions. The commonest kinds are handled here, the others by parts of their
// own (rare_expressions.hpp). Start at evaluate().
#pragma once

#include "interpreter/eval/apply/call_stack.hpp"
#include "interpreter/eval/report/reporter.hpp"
#include "interpreter/eval/values/frame.hpp"

namespace covec {

struct Parts;

class Expressions {
 public:
  explicit Expressions(Parts& parts) : parts_(parts) {}

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

  Parts& parts_;
};

}  // namespace covec
