// Literals: tensors, tuples, records and text made of values that are written side by side.
#pragma once

#include "interpreter/eval/applier.hpp"
#include "interpreter/eval/expressions.hpp"

namespace covec {

class Literals {
 public:
  Literals(CallStack& stack, Applier& applier, const Reporter& reporter, Expressions& expressions,
           StagedChoices& staged_choices)
      : stack_(stack),
        applier_(applier),
        reporter_(reporter),
        expressions_(expressions),
        staged_choices_(staged_choices) {}

  Raw tensor(const core::MakeTensor& node, Frame& f);
  Raw tuple(const core::MakeTuple& node, Frame& f);
  Raw record(const core::MakeRecord& node, Frame& f);
  Raw format(const core::Format& node, Frame& f);

 private:
  std::vector<Value> values_of(const std::vector<core::Expr*>& items, Frame& f);

  CallStack& stack_;
  Applier& applier_;
  const Reporter& reporter_;
  Expressions& expressions_;
  StagedChoices& staged_choices_;
};

}  // namespace covec
