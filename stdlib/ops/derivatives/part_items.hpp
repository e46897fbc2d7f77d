// Trees of numbers for the parts of `parallel` that are written in Covec: their floats as one vector, and their sums.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& is_differentiated_entry();  // (): whether derivatives pass through collectives
const Entry& receives_entry();           // (x): whether x is none
const Entry& floats_entry();             // (tree, dtype): the floats of that dtype
const Entry& with_floats_entry();        // (tree, dtype, floats): a tree that has others
const Entry& tree_sum_entry();           // (a, b)

}  // namespace covec::ops

namespace covec::autodiff {

// Derivatives of parallel.sum by what its function has captured (part_sums.cpp).
const ops::Entry& active_part_sum_entry();  // (f, parts), of an f that has captured active values

}  // namespace covec::autodiff
