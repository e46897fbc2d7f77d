// f16 and bf16 for the entries that do not know them: nearly all but the pointwise ones and those that only move
// elements about. They are given f32 instead, which holds each half exactly, and what they give in f32 is rounded once
// to the half that the operands promote to. So sums and products add up in f32, derivatives are those of the f32
// operator with casts around it, and every engine does the same.
#pragma once

#include "stdlib/ops/contract/builder.hpp"
#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

// Whether a tensor operand, or the dtype that is asked for, is a half.
bool has_halves(const Entry& entry, std::span<const Value> args, std::span<const Value> rest);
// Applies the entry to f32 in place of the halves, and rounds.
Value call_with_floats(Builder& builder, const Entry& entry, std::span<Value> args, std::span<Value> rest,
                       uint32_t literals);

}  // namespace covec::ops
