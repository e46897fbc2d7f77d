// prod and cumprod of complex tensors (Entry::complex). Private to the family.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

Value complex_prod(Builder& builder, Call& call);
Value complex_cumprod(Builder& builder, Call& call);

// The operators that make them up. Their results have both parts along a last axis of two.
const Entry& complex_running_product_entry();  // (re, im, axis, backwards)
const Entry& complex_recurrence_entry();       // (re and im of a, of b, axis, backwards, zeros)
const Entry& complex_product_entry();          // (re, im, axis)

}  // namespace covec::ops
