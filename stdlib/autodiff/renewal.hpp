// Makes new values where control flow assigns variables. The cotangents of a value are added in reverse program order.
// A variable holds a new value after an if, for or while that assigns it, and at the head of each iteration. The result
// of a call or conditional expression is a new value too. The cotangents of a new value are added by themselves, and
// their sum is one term of the old value's. So a compiled region can first add up its own uses, and its derivative has
// the bits of eager code.
//
// If nothing else holds the old value, all later uses go through the new one. The sums are then the same, and no entry
// is made. Each open tape is checked by itself, since the kept values of an inner tape hold those of the outer.
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
