// Dtypes that are stored otherwise than they are computed with (f16, bf16, integers of 8 and 16 bits, u32), for the
// entries that do not know them: nearly all but the pointwise ones and those that only move elements about. They are
// given what is computed with instead, which holds each number exactly, and what they give in that dtype becomes once
// what the operands promote to: a float is rounded, an integer wraps. So sums and products of halves add up in f32,
// derivatives are those of the f32 operator with casts around it, and every engine does the same.
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
