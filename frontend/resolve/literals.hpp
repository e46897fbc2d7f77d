// Numbers, with their check of the size.
#pragma once

#include "frontend/ast/ast.hpp"
#include "frontend/resolve/nodes.hpp"
#include "frontend/resolve/problems.hpp"

namespace covec::resolve {

class Literals {
 public:
  Literals(Nodes& nodes, Problems& problems) : nodes_(nodes), problems_(problems) {}

  core::Expr* number(const ast::Number& n, bool negative = false);
  // A minus before a number is part of the literal: so the least integer can be written.
  core::Expr* negated(const ast::Unary& u);

 private:
  Nodes& nodes_;
  Problems& problems_;
};

}  // namespace covec::resolve
