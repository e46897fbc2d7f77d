// Operands that an operator does not take itself while a function is compiled: values that may be none, functions that
// a branch chooses, and lists to reduce whose length only the run knows. The operator is applied to what they hold
// instead. Start at apply().
#pragma once

#include "jit/lower/graph/lists.hpp"
#include "jit/lower/paths/optional.hpp"

namespace covec::ir {

class SpecialOperands {
 public:
  SpecialOperands(ops::Builder& builder, GraphWriter& writer, Lists& lists)
      : builder_(builder), writer_(writer), lists_(lists) {}
  Facts& facts() { return facts_; }
  // False: there is none among them.
  bool apply(ops::Call& call, Value& result);
  // What may be none, used as what it holds.
  Value present(const Value& value);

 private:
  bool apply_to_optionals(ops::Call& call, Value& result);
  bool apply_to_chosen(ops::Call& call, Value& result);
  bool reduce_list(ops::Call& call, Value& result);

  ops::Builder& builder_;
  GraphWriter& writer_;
  Lists& lists_;
  Facts facts_;  // of the optional operands that it meets
};

}  // namespace covec::ir
