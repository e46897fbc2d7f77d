// New values. The cotangents of a value are added in reverse program order; but what a variable holds behind an if, for
// or while that assigns it and at the head of each pass, and what a call or a conditional expression gives, is a new
// value: its cotangents are added by themselves, and their sum is one term of the old value's. So a compiled region can
// add up its own uses first, and its derivative has the bits of eager code.
//
// Where nobody else holds the old value all later uses go through the new one, and the sums are the same: no entry is
// made there. Each open tape is looked at by itself, since the kept values of an inner one hold those of the outer.
#pragma once

#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::autodiff {

// The numbers and tensors of the tree, those that its functions have captured included, become new values.
void renew(const ops::Context& context, Value& value);

inline void renew_if_open(const ops::Context& context, Value& value) {
  if (context.innermost == nullptr || !value.is_object() || value.is_tensor()) return;
  // The commonest: one derivative, and nobody else holds the value.
  if (value.is_traced() && value.unique() && !value.traced().primal.is_traced() && !value.traced().tangent.is_object())
    return;
  renew(context, value);
}

}  // namespace covec::autodiff
