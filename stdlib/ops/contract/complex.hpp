// Complex operands: a pair of real values (Complex, tree.hpp), which ops::call takes apart before any engine sees them.
// Entry::complex says what an operator does with the pair. Without it, an operator that moves elements acts on the real
// and on the imaginary part of its first operand; any other is an error. Start at call_complex.
#pragma once

#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

// Both parts as they are where they have one float dtype and one shape; else made so: rank 0 takes the other's dtype,
// integers become f64, f16 and bf16 f32. `literals`: bit 0 of re, bit 1 of im.
Value complex_value(Builder& builder, Value re, Value im, uint32_t literals = 0);

// Of any number or tensor: itself, and zeros of its type.
Value real_part(const Value& value);
Value imaginary_part(Builder& builder, const Value& value);

// Rules. By parts: the operator on the real part of its first operand, and on the imaginary part; all others stay.
Value by_parts(Builder& builder, Call& call);
// The same where the operands of these bits have parts.
Value call_by_parts(Builder& builder, Call& call, uint32_t bits);
template <uint32_t bits>
Value by_parts_of(Builder& builder, Call& call) {
  return call_by_parts(builder, call, bits);
}
// The same where each operand of the rest has parts: concat, stack.
Value by_parts_of_rest(Builder& builder, Call& call);
// The operator gives a real part of what dtype=c64 or c128 asks for, and zeros are the imaginary one.
Value with_zeros(Builder& builder, Call& call);

// The operator is linear in each complex operand, taken alone: a product, say. Sums of products of real parts.
Value multilinear(Builder& builder, Call& call);
// c64 or c128 as a value.
Value complex_dtype_value(Dtype part);

// The arguments with the dtype of its parts in place of c64 or c128. An error where one is complex, or a size is.
std::vector<Value> real_arguments(const Call& call);
// The dtype of the parts where the argument called dtype is c64 or c128.
std::optional<Dtype> asked_part_dtype(const Entry& entry, std::span<const Value> args);
// A complex operand, one in a tree of operands, or c64 or c128 as the dtype that is asked for.
bool has_complex(const Entry& entry, const Value& value, ParameterKind kind, unsigned depth = 0);
// Whether they make a call of complex numbers: c64 where no dtype is asked for does not.
bool is_of_complex(const Entry& entry, std::span<const Value> args, std::span<const Value> rest);
// The error of an operator that has no rule for the complex operand.
[[noreturn]] void fail_complex(const Call& call, unsigned operand);
// All arguments are given; what was a tree of tensors is the rest.
Value call_complex(Builder& builder, Call& call);

}  // namespace covec::ops
