// Indexing, NumPy's: integers, slices, ..., newaxis, tensors of integers, masks. Three operators that the language's
// syntax stands for; the items come as an IndexSpec and the call's rest. Updates write in place when their operand is
// not shared.
#pragma once

#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/ops/contract/index_spec.hpp"

namespace covec::ops {

const Entry& index_read_entry();    // (x, spec, *items): x[items]
const Entry& index_update_entry();  // (x, value, spec, *items): x with x[items] = value
const Entry& index_add_entry();     // (x, value, spec, *items): x with x[items] += value
const Entry& index_last_entry();    // (x, spec, *items): which elements of x[items] are the last of their place

// For vmap: reads x (not batched) by items of which `batched` are indices that count start, start + 1, …: a
// comprehension's. The result, batch axis first, is a view. Value::unbound() when that cannot be said with slices (the
// caller gathers instead).
struct CountingIndex {
  unsigned item;  // its number among the items
  int64_t start, size;
};
Value index_by_counting(Builder& builder, const Value& x, const Value& spec, std::span<const Value> items,
                        CountingIndex index);

}  // namespace covec::ops
