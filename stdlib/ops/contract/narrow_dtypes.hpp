// Storage dtypes (f16, bf16, integers of 8 and 16 bits, u32) for entries that do not support them. Only pointwise
// operators and those that move elements do. Other entries get operands in the computing dtype, which holds each number
// exactly. Their result in that dtype is then converted once to the promoted dtype of the operands: a float is rounded,
// an integer wraps. So sums and products of f16 add up in f32, and derivatives are those of the f32 operator with casts
// around it. Every engine does the same.
#pragma once

#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

// What elements of a dtype are multiplied as where products are added up: narrow integers as one that holds products.
Dtype factor_dtype(Dtype dtype);

// Whether a tensor operand, or the dtype that is asked for, is narrow.
bool has_narrow(const Entry& entry, std::span<const Value> args, std::span<const Value> rest);
// Applies the entry to what is computed with in place of the narrow operands, and narrows the result.
Value call_widened(Builder& builder, const Entry& entry, std::span<Value> args, std::span<Value> rest,
                   uint32_t literals);

}  // namespace covec::ops
