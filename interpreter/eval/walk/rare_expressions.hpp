// RareExpressions: the kinds of expression that do more than fetch, choose, apply or call. Each goes to its part.
#pragma once

#include "interpreter/eval/walk/expressions.hpp"

namespace covec {

struct Parts;

class RareExpressions {
 public:
  explicit RareExpressions(Parts& parts) : parts_(parts) {}

  Raw evaluate(const core::Expr& expr, Frame& f);

 private:
  Raw bind(const core::Bind& node, Frame& f);

  Parts& parts_;
};

}  // namespace covec
