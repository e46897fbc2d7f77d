// Operators: applying the operator of a node. A node chooses at its first evaluation how it is applied from then on
// (quick_operators.cpp): numbers go the short way, everything else puts its operands into a window of the value stack
// and calls ops::call. Start at apply(), then apply_with().
#pragma once

#include "interpreter/eval/applier.hpp"
#include "interpreter/eval/expressions.hpp"

namespace covec {

class Operators {
 public:
  Operators(CallStack& stack, Applier& applier, const Reporter& reporter, const InterpreterHost& host,
            Expressions& expressions, Calls& calls)
      : stack_(stack), applier_(applier), reporter_(reporter), host_(host), expressions_(expressions), calls_(calls) {}

  Raw apply(const core::Op& op, Frame& f) {
    if (!op.apply_op) [[unlikely]]
      return apply_first(op, f);
    return op.apply_op(*this, op, f);
  }
  // Any expression; the commonest operands first: a number in a variable, a constant number.
  Raw operand(const core::Expr& expr, Frame& f) {
    if (expr.kind == core::ExprKind::local) {
      const Value& slot = f.slots[static_cast<const core::Local&>(expr).slot];
      if (slot.is_scalar()) return number(slot);
    } else if (expr.kind == core::ExprKind::constant) {
      const Value& value = f.constants[static_cast<const core::Constant&>(expr).id];
      if (value.is_scalar()) return number(value);
    } else if (expr.kind == core::ExprKind::op) {
      return apply(static_cast<const core::Op&>(expr), f);
    }
    return expressions_.evaluate(expr, f);
  }
  // `first` is an operand that has been evaluated already.
  Raw apply_with(const core::Op& op, Frame& f, Value* first = nullptr);
  Raw call_operator(const core::Op& op, std::span<Value> args, std::span<Value> rest, uint32_t literals, Frame& f);

 private:
  [[gnu::cold]] Raw apply_first(const core::Op& op, Frame& f);
  static core::ApplyOp chosen(const core::Op& op, const Frame& f);
  struct Ways;  // the functions that chosen() chooses from
  Raw apply_binary(const core::Op& op, Frame& f);
  Raw apply_unary(const core::Op& op, Frame& f);
  Raw finish_binary(const core::Op& op, Raw left, Raw right, Frame& f);
  static bool compare_text(const core::Op& op, const Object* left, const Frame& f, Raw& result);
  Raw finish_object(const core::Op& op, Raw left, Frame& f);
  Raw apply_two(const core::Op& op, std::span<Value> args, Frame& f);

  CallStack& stack_;
  Applier& applier_;
  const Reporter& reporter_;
  const InterpreterHost& host_;
  Expressions& expressions_;
  Calls& calls_;
};

// The places of an operator's operands, as it numbers them.
std::vector<Span> operand_spans(const core::Op& op);

}  // namespace covec
