// The eager engine: operators compute at once. If operands are traced, the open transformations act.
#pragma once

#include "stdlib/autodiff/apply.hpp"
#include "stdlib/ops/contract/builder.hpp"

namespace covec::autodiff {

class EagerBuilder : public ops::ComputingBuilder {
 public:
  using ops::ComputingBuilder::ComputingBuilder;
  Value apply_traced(ops::Call& call) override { return autodiff::apply_traced(*this, call); }
};

}  // namespace covec::autodiff
