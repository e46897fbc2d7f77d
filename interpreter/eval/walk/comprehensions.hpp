// Comprehensions. Over ranges and tensors they mean vmap of the body over its indices: the body is evaluated once, and
// each operator covers all elements. Over lists and other sequences they are loops. A reduction is applied to the new
// axes of the result. Start at map_index().
#pragma once

#include "interpreter/eval/apply/applier.hpp"
#include "interpreter/eval/apply/iteration.hpp"
#include "interpreter/eval/walk/expressions.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec {

struct Parts;

class Comprehensions {
 public:
  explicit Comprehensions(Parts& parts) : parts_(parts) {}

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

  Parts& parts_;
};

}  // namespace covec
