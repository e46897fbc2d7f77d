// RareExpressions: the kinds of expression that do more than fetch, choose, apply or call, each handed to its part.
#pragma once

#include "interpreter/eval/expressions.hpp"

namespace covec {

class Comprehensions;
class Contractions;
class Definitions;
class Fields;
class Indexing;
class Literals;

class RareExpressions {
 public:
  RareExpressions(CallStack& stack, const Reporter& reporter, const InterpreterHost& host, Expressions& expressions,
                  Calls& calls, Literals& literals, Definitions& definitions, Fields& fields, Indexing& indexing,
                  Comprehensions& comprehensions, Contractions& contractions)
      : stack_(stack),
        reporter_(reporter),
        host_(host),
        expressions_(expressions),
        calls_(calls),
        literals_(literals),
        definitions_(definitions),
        fields_(fields),
        indexing_(indexing),
        comprehensions_(comprehensions),
        contractions_(contractions) {}

  Raw evaluate(const core::Expr& expr, Frame& f);

 private:
  Raw bind(const core::Bind& node, Frame& f);

  CallStack& stack_;
  const Reporter& reporter_;
  const InterpreterHost& host_;
  Expressions& expressions_;
  Calls& calls_;
  Literals& literals_;
  Definitions& definitions_;
  Fields& fields_;
  Indexing& indexing_;
  Comprehensions& comprehensions_;
  Contractions& contractions_;
};

}  // namespace covec
