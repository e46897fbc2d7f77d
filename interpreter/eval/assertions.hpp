// Assertions: an assert evaluates its condition part by part, so that the error can say what each part was. Nothing is
// evaluated twice: parts may draw, print or take long. Start at check().
#pragma once

#include "interpreter/eval/operators.hpp"

namespace covec {

class Assertions {
 public:
  Assertions(CallStack& stack, const Applier& applier, const Reporter& reporter, Expressions& expressions,
             Operators& operators)
      : stack_(stack), applier_(applier), reporter_(reporter), expressions_(expressions), operators_(operators) {}

  void check(const core::Assert& node, Frame& f);

 private:
  using Parts = std::vector<std::pair<Span, Value>>;
  bool holds(const core::Expr& condition, const char* name, Parts& parts, Frame& f);
  Value value_of(const core::Expr& expr, Parts& parts, Frame& f);
  Value choice(const core::Select& node, Parts& parts, Frame& f);
  std::vector<std::string> told(const Parts& parts) const;
  [[noreturn]] void fail(const core::Assert& node, const Parts& parts, Frame& f);

  CallStack& stack_;
  const Applier& applier_;
  const Reporter& reporter_;
  Expressions& expressions_;
  Operators& operators_;
};

}  // namespace covec
