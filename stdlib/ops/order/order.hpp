// Order: sort, argsort, topk, searchsorted, unique. NaNs are the largest and equal to each other; −0 and +0 are equal.
// Equal elements keep their order (stable).
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& sort_entry();          // (x, axis=-1, descending=false, by=none)
const Entry& argsort_entry();       // (x, axis=-1, descending=false)
const Entry& searchsorted_entry();  // (sorted, x, side="left")

const Entry& filter_entry();  // (xs, f)

// sort of the items of a list or tuple, or by the keys that a function gives; nullptr where it is a tensor's own sort.
const Entry& sort_items_entry();
const Entry* sort_instead(std::span<const Value> args, uint32_t literals);
// max and min of items (x, axis=none, keepdims=false, by=none): the first of the largest, or smallest.
const Entry& max_item_entry();
const Entry& min_item_entry();

// What they are made of.
const Entry& first_positions_entry();  // (x, k, axis): where the k largest are
const Entry& search_rows_entry();      // (rows, x, side): searchsorted for rows of the same leading axes as x
const Entry& starts_entry();           // (x): whether an element along the last axis is not equal to the one before

}  // namespace covec::ops
