// Order: sort, argsort, topk, searchsorted, unique. NaNs are the largest and equal to each other, as are −0 and +0;
// what is equal stays in the order in which it stood.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& sort_entry();          // (x, axis=-1, descending=false)
const Entry& argsort_entry();       // (x, axis=-1, descending=false)
const Entry& searchsorted_entry();  // (sorted, x, side="left")

// What they are made of.
const Entry& first_positions_entry();  // (x, k, axis): where the k largest are
const Entry& search_rows_entry();      // (rows, x, side): searchsorted for rows of the same leading axes as x
const Entry& starts_entry();           // (x): whether an element along the last axis is not equal to the one before

}  // namespace covec::ops
