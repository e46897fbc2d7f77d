// Contractions: sum of a product of indexed tensors over names that several factors share: one operator, in the order
// of products. Outer indices are read off each factor first (by a comprehension's index: a view), which leaves its
// reduced axes.
#pragma once

#include "interpreter/eval/applier.hpp"
#include "interpreter/eval/expressions.hpp"
#include "interpreter/eval/indexing.hpp"

namespace covec {

class Contractions {
 public:
  Contractions(Applier& applier, const Reporter& reporter, Expressions& expressions, const Indexing& indexing,
               const Iteration& iteration, const StagedValues& staged_values)
      : applier_(applier),
        reporter_(reporter),
        expressions_(expressions),
        indexing_(indexing),
        iteration_(iteration),
        staged_values_(staged_values) {}

  Raw contract(const core::Contract& node, Frame& f);

 private:
  Value read_outer(const core::ContractFactor& factor, Value tensor, Frame& f);
  Value tensor_of(Value value, Span span, const Frame& f) const;
  Value take_ranges(const core::ContractFactor& factor, Value tensor, std::span<const Value> ranges,
                    const Frame& f) const;
  Value contract_factors(const core::Contract& node, std::vector<Value>& tensors, std::span<const Span> spans,
                         const Frame& f) const;
  void check_extents(const core::Contract& node, std::span<const Value> tensors, Frame& f) const;

  Applier& applier_;
  const Reporter& reporter_;
  Expressions& expressions_;
  const Indexing& indexing_;
  const Iteration& iteration_;
  const StagedValues& staged_values_;
};

}  // namespace covec
