// Comprehensions. Over ranges and tensors they mean vmap of the body over its indices: the body is evaluated once, and
// each operator covers all elements. Over lists and other sequences they are loops. A reduction is applied to the new
// axes of the result. A filter over ranges is computed for all indices; the body for those that passed. Start at
// map_index().
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
  Value nothing(const core::MapIndex& node, size_t axes) const;
  void check_items(const core::MapIndex& node, const std::vector<Value>& items, size_t axes_count,
                   const Frame& f) const;
  static bool lists_others(const core::MapIndex& node, const Frame& f);
  Value reduced(const core::MapIndex& node, Value mapped, size_t axes, Frame& f);
  // What a comprehension is evaluated with: which of its expressions, and what its first clause runs over, known
  // already or none.
  struct Pass {
    const core::MapIndex& node;
    const core::Expr& body;
    Value first = {};
    bool lengths_only = false;  // of its clauses: the body does not happen
  };
  Value of_items(const core::MapIndex& node, const Value& first, Frame& f);
  bool lengths_differ(const core::MapIndex& node, const Value& first, Frame& f);
  Value at_once(const core::MapIndex& node, const Value& first, Frame& f);
  Value map_clauses(const Pass& pass, size_t clause, Frame& f);
  Value map_over(const Pass& pass, size_t clause, const Value& over, Frame& f);
  // --- filters ---
  Value filtered(const core::MapIndex& node, const Value& first, Frame& f);
  Value collected(const core::MapIndex& node, const Value& first, Frame& f);
  Value passed(const core::MapIndex& node, Value first, Frame& f);
  Value body_at(const core::MapIndex& node, Value first, const std::vector<Value>& places, Frame& f);
  Value among_all(Value items, Shape shape, const std::vector<Value>& places, bool ones, Frame& f);
  Value mean_of(const core::MapIndex& node, Value all, Value count, Frame& f);
  Value mask(const core::MapIndex& node, const Value& first, Frame& f);
  Value at_places(const Pass& pass, size_t clause, std::span<const Value> places, Frame& f);
  Value item_at_place(const Value& over, const Value& place, Span span, const Frame& f);
  Value map_at_once(const Value& over, FunctionRef<Value(Value)> body, bool apart, Span span, Frame& f);
  Value item_of(const Value& over, const Value& index, Span span, const Frame& f);
  Value map_items(const core::MapIndex& node, const Value& over, FunctionRef<Value(Value)> body, Span span, Frame& f);
  Value stacked(const core::MapIndex& node, Value list, const Frame& f);
  void collect(const core::MapIndex& node, size_t clause, List& out, Frame& f, const Value* over = nullptr);
  void push(List& list, Value item, Span span, const Frame& f) const;
  void collect_staged(const core::MapIndex& node, size_t clause, Value& list, Frame& f, const Value* over = nullptr);
  Value clause_range(const core::Clause& clause, Frame& f);
  void warn_of_pairs(const core::Clause& clause, const Value& over, Frame& f);
  Dim inferred_extent(const core::Clause& clause, Frame& f);

  Parts& parts_;
};

}  // namespace covec
