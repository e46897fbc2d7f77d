// Branches that were not taken. A rule of linear algebra computes anew from what it keeps: of a matrix with NaN, or one
// that is singular, it raises, or makes NaN of cotangents that are 0. Where all of a cotangent is ±0 such a rule
// (Derivative::guarded_bit) is given harmless numbers instead: it is linear in the cotangent, so that it still gives
// zeros. Nothing branches, so the compiler stages it as it stands, and of a batch each example is asked by itself.
//
// A cotangent that an outer derivative follows is not asked: what the rule gives depends on it, 0 or not.
#pragma once

#include <vector>

#include "stdlib/ops/contract/entry.hpp"

namespace covec::autodiff {

const ops::Entry& unless_zero_entry();

class Harmless {
 public:
  // What a guarded rule is to look at.
  const ops::Kept& of(ops::Builder& builder, const ops::Entry& entry, const ops::Kept& kept, const Value& cotangent);

 private:
  std::vector<Value> operands_;
  Value result_;
  ops::Kept kept_;
};

}  // namespace covec::autodiff
