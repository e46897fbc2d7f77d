// Comprehensions. Over ranges and tensors they mean vmap of the body over its indices: the body is evaluated once, its
// operators each over all elements. Over lists and other sequences they are loops. A reduction is applied to the new
// axes of the result. Start at map_index().
#pragma once

#include "interpreter/eval/applier.hpp"
#include "interpreter/eval/expressions.hpp"
#include "interpreter/eval/iteration.hpp"
#include "interpreter/eval/staged_lists.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec {

class Comprehensions {
 public:
  Comprehensions(CallStack& stack, Applier& applier, const Reporter& reporter, Expressions& expressions,
                 Updates& updates, const Iteration& iteration, const StagedValues& staged_values,
                 const StagedLists& staged_lists)
      : stack_(stack),
        applier_(applier),
        reporter_(reporter),
        expressions_(expressions),
        updates_(updates),
        iteration_(iteration),
        staged_values_(staged_values),
        staged_lists_(staged_lists) {}

  Raw map_index(const core::MapIndex& node, Frame& f);

 private:
  Value nothing(const core::MapIndex& node) const;
  Value reduced(const core::MapIndex& node, Value mapped, Frame& f);
  Value map_clauses(const core::MapIndex& node, size_t clause, Frame& f);
  Value map_over(const core::MapIndex& node, size_t clause, const Value& over, Frame& f);
  Value map_items(const core::MapIndex& node, const Value& over, FunctionRef<Value(Value)> body, Span span, Frame& f);
  void collect(const core::MapIndex& node, size_t clause, List& out, Frame& f);
  void push(List& list, Value item, Span span, const Frame& f) const;
  void collect_staged(const core::MapIndex& node, size_t clause, Value& list, Frame& f);
  Value clause_range(const core::Clause& clause, Frame& f);
  Dim inferred_extent(const core::Clause& clause, Frame& f);

  CallStack& stack_;
  Applier& applier_;
  const Reporter& reporter_;
  Expressions& expressions_;
  Updates& updates_;
  const Iteration& iteration_;
  const StagedValues& staged_values_;
  const StagedLists& staged_lists_;
};

}  // namespace covec
