// Turns a sum over a product of indexed tensors into a contraction: sum(A[i, k] * B[k, j] for k).
#pragma once

#include <vector>

#include "frontend/core/nodes.hpp"
#include "frontend/resolve/index_uses.hpp"

namespace covec::resolve {

// Looks at one resolved sum whose ranges do not depend on each other.
class Contraction {
 public:
  Contraction(const Builtin& product, const IndexUses& uses, core::MapIndex& map)
      : product_(product), uses_(uses), map_(map) {}

  // The contraction that the sum is, or nullptr; the sum's nodes go into it.
  core::Expr* make(Nodes& nodes);

 private:
  std::vector<IndexUse*> factors_of_body() const;
  bool read_factor(const IndexUse& use, core::ContractFactor& out) const;
  bool read_axis(const core::IndexItem& item, core::ContractFactor::Axis& out) const;
  bool all_reduced_twice(const std::vector<core::ContractFactor>& factors) const;

  const Builtin& product_;
  const IndexUses& uses_;
  core::MapIndex& map_;
};

}  // namespace covec::resolve
