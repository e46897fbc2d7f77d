// Operators: applies the operator of a node. At its first evaluation a node chooses how it is applied from then on
// (quick_operators.cpp). Numbers take the fast path. Other operands go into a window of the value stack and to
// ops::call. Start at apply(), then apply_with().
#pragma once

#include "interpreter/eval/apply/applier.hpp"
#include "interpreter/eval/walk/expressions.hpp"

namespace covec {

struct Parts;

class Operators {
 public:
  explicit Operators(Parts& parts) : parts_(parts) {}

  Raw apply(const core::Op& op, Frame& f) {
    if (!op.apply_op) [[unlikely]]
      return apply_first(op, f);
    return op.apply_op(*this, op, f);
  }
  Raw operand(const core::Expr& expr, Frame& f);  // any expression; see parts.hpp
  // `first` is an operand that has been evaluated already.
  Raw apply_with(const core::Op& op, Frame& f, Value* first = nullptr);
  Raw call_operator(const core::Op& op, std::span<Value> args, std::span<Value> rest, uint32_t literals, Frame& f);

 private:
  [[gnu::cold]] Raw apply_first(const core::Op& op, Frame& f);
  core::ApplyOp chosen(const core::Op& op, const Frame& f) const;
  struct Ways;  // the functions that chosen() chooses from
  Raw apply_binary(const core::Op& op, Frame& f);
  Raw apply_unary(const core::Op& op, Frame& f);
  Raw finish_binary(const core::Op& op, Raw left, Raw right, Frame& f);
  static bool compare_text(const core::Op& op, const Object* left, const Frame& f, Raw& result);
  Raw finish_object(const core::Op& op, Raw left, Frame& f);
  Raw apply_two(const core::Op& op, std::span<Value> args, Frame& f);

  Parts& parts_;
};

// The places of an operator's operands, as it numbers them.
}  // namespace covec
