// Contractions: the sum of a product of indexed tensors over names that several factors share. They are one operator,
// in the order of products. Outer indices are applied to each factor first (by a comprehension's index: a view). Its
// reduced axes remain.
#pragma once

#include "interpreter/eval/apply/applier.hpp"
#include "interpreter/eval/walk/expressions.hpp"
#include "interpreter/eval/walk/indexing.hpp"

namespace covec {

struct Parts;

class Contractions {
 public:
  explicit Contractions(Parts& parts) : parts_(parts) {}

  Raw contract(const core::Contract& node, Frame& f);

 private:
  Value read_outer(const core::ContractFactor& factor, Value tensor, Frame& f);
  Value tensor_of(Value value, Span span, const Frame& f) const;
  Value take_ranges(const core::ContractFactor& factor, Value tensor, std::span<const Value> ranges,
                    const Frame& f) const;
  Value contract_factors(const core::Contract& node, std::vector<Value>& tensors, std::span<const Span> spans,
                         const Frame& f) const;
  void check_extents(const core::Contract& node, std::span<const Value> tensors, Frame& f) const;

  Parts& parts_;
};

}  // namespace covec
