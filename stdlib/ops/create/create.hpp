// The create family: tensors from shapes and values, and tensors from numbers, tuples and lists.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& zeros_entry();       // (*shape, dtype=f64)
const Entry& ones_entry();        // (*shape, dtype=f64)
const Entry& full_entry();        // (shape, value, dtype=none)
const Entry& eye_entry();         // (n, m=none, dtype=f64)
const Entry& arange_entry();      // (start, stop=none, step=none, dtype=none)
const Entry& linspace_entry();    // (start, stop, n=50, endpoint=true, dtype=f64)
const Entry& zeros_like_entry();  // (x, dtype=none)
const Entry& ones_like_entry();   // (x, dtype=none)
const Entry& expect_row_entry();  // (row, first, number): a row of a literal, which must have the first's shape
const Entry& tensor_entry();      // (x, dtype=none)

// What `[a, b, c]` means: numbers promote, tensors stack; rows of other shapes are an error naming the row. Bit i of
// `literals`: item i was written as a number and adapts to the others' dtype. Traced items go through stack, so that
// gradients flow.
Value make_literal(Builder& builder, std::span<Value> items, uint64_t literals = 0);

// Row `number` of a literal is not like row 0.
[[noreturn]] void fail_ragged(int64_t number, const Type& row, const Type& first);

}  // namespace covec::ops
