// Running sums and products along an axis, and the linear recurrence that is the derivative of a product. They are
// computed one element after the other, unlike sums over an axis: each result is the one before with one element more.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

// What they are made of; `axis` counts from the front, and with `backwards` it is walked from its end.
const Entry& running_sum_entry();         // (x, axis, backwards)
const Entry& cumulative_product_entry();  // (x, axis)
const Entry& recurrence_entry();  // (a, b, axis, backwards): h[i] = a[i] · h[i − 1] + b[i], from h = b at the start
const Entry& recurrence_exponents_entry();  // (a, b, axis, backwards): powers of two to carry apart
Value recurrence_batch(Builder& builder, Call& call, const Batching& batching);
const Entry& shift_entry();  // (x, axis, by, fill): each element one place further (by 1) or back (by −1)

const Entry& cumsum_entry();        // (x, axis=none)
const Entry& cumlogsumexp_entry();  // (x, axis=none)

// Of cummax and cummin: the elements, and where along the axis they stand, the first of equal ones.
const Entry& running_extreme_entry();  // (x, axis, smallest)
const Entry& running_places_entry();   // the same

Value running_sum(Builder& builder, Value x, unsigned axis);

}  // namespace covec::ops
