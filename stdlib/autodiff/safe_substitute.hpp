// Safe substitutes for rules of linear algebra in branches that were not taken (as in a double `where`). Such a rule
// computes again from its kept values. If the matrix has NaN or is singular, the rule raises an error, or makes NaN of
// zero cotangents. If all of a cotangent is ±0, the rule (Derivative::guarded_bit) gets safe numbers instead. It is
// linear in the cotangent, so it still gives zeros. Nothing branches, so the compiler stages it as it stands, and each
// example of a batch is tested by itself.
//
// A cotangent that is active in an outer derivative is not tested: the rule's result depends on it, 0 or not.
#pragma once

#include <vector>

#include "stdlib/ops/contract/entry.hpp"

namespace covec::autodiff {

const ops::Entry& unless_zero_entry();

class SafeSubstitute {
 public:
  // What a guarded rule is to look at.
  const ops::Residuals& of(ops::Builder& builder, const ops::Entry& entry, const ops::Residuals& residuals,
                           const Value& cotangent);

 private:
  std::vector<Value> operands_;
  Value result_;
  ops::Residuals residuals_;
};

}  // namespace covec::autodiff
