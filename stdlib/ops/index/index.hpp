// Indexing as in NumPy: integers, slices, ..., newaxis, tensors of integers, masks. The language's syntax stands for
// three operators. They get the items as an IndexSpec and the call's rest. Updates write in place if their operand is
// not shared.
#pragma once

#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/ops/contract/index_spec.hpp"

namespace covec::ops {

const Entry& index_read_entry();      // (x, spec, *items): x[items]
const Entry& index_update_entry();    // (x, value, spec, *items): x with x[items] = value
const Entry& index_add_entry();       // (x, value, spec, *items): x with x[items] += value
const Entry& index_last_entry();      // (x, spec, *items): which elements of x[items] are the last of their place
const Entry& index_distinct_entry();  // (x, spec, *items): whether x[items] names no place more than once
const Entry& nonzero_entry();         // (x): a vector of positions for each axis

}  // namespace covec::ops
