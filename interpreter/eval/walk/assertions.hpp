// Assertions: an assert evaluates its condition part by part, so that the error can show the value of each part.
// Nothing is evaluated twice: parts may draw random numbers, print or take long. Start at check().
#pragma once

#include "interpreter/eval/walk/operators.hpp"

namespace covec {

struct Parts;

class Assertions {
 public:
  explicit Assertions(Parts& parts) : parts_(parts) {}

  void check(const core::Assert& node, Frame& f);

 private:
  using Operands = std::vector<std::pair<Span, Value>>;
  bool holds(const core::Expr& condition, const char* name, Operands& operands, Frame& f);
  Value value_of(const core::Expr& expr, Operands& operands, Frame& f);
  Value choice(const core::Select& node, Operands& operands, Frame& f);
  std::vector<std::string> told(const Operands& operands) const;
  [[noreturn]] void fail(const core::Assert& node, const Operands& operands, Frame& f);

  Parts& parts_;
};

}  // namespace covec
