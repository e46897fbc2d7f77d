// Resolves numbers and checks their size. An expression of integer literals alone (`10^19`, `-2^63`) stands for a
// number. If i64 cannot hold it, this is an error, as for a literal that is too large; integers that a program computes
// wrap. Only the whole must fit: `2^63 - 1` does. So operators record their exact value, and the code that reads the
// whole requests the check.
#pragma once

#include <unordered_map>

#include "frontend/ast/ast.hpp"
#include "frontend/ast/operator.hpp"
#include "frontend/core/nodes.hpp"
#include "frontend/scopes/problems.hpp"

namespace covec::resolve {

class Literals {
 public:
  Literals(Nodes& nodes, Problems& problems) : nodes_(nodes), problems_(problems) {}

  core::Expr* number(const ast::Number& n, bool negative = false);
  // A minus before a number is part of the literal: so the least integer can be written.
  core::Expr* negated(const ast::Unary& u);
  // An operator on operands that have been read; `right` is nullptr where it has one. It is a part of the number
  // around it, or else its operands are whole numbers.
  void combine(Operator op, const core::Expr& whole, const core::Expr* left, const core::Expr* right);
  // Nothing around this is part of the number that it is.
  void settle(const core::Expr* whole);
  // A warning where `+` of brackets may be meant to join them.
  void warn_of_joining(const ast::Binary& b);

 private:
  // Far beyond i64 there is `huge`: it fits nowhere, and nothing makes it smaller again.
  using Exact = __int128;
  static constexpr Exact huge = Exact{1} << 126;
  static Exact bounded(Exact number);
  static Exact power(Exact base, Exact exponent);
  static bool compute(Operator op, Exact left, Exact right, Exact& result);
  const Exact* exact(const core::Expr* e) const;

  std::unordered_map<const core::Expr*, Exact> exact_;
  Nodes& nodes_;
  Problems& problems_;
};

}  // namespace covec::resolve
