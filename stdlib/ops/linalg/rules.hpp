// Derivatives and batch rules of the linalg family. Private to the family.
#pragma once

#include "stdlib/ops/linalg/linalg.hpp"
#include "stdlib/ops/patterns/patterns.hpp"

namespace covec::ops {

// The type of a product of operands of these types; raises the errors. `call` is matmul's or dot's.
Type product_type(ShapeBuilder& shapes, const Call& call, const Type& left, const Type& right);
// The product of operands of the result's dtype, not both of rank 1, on the kernels.
Value product_of_matrices(Builder& builder, const Value& left, const Value& right, const Type& type);
Derivative matmul_derivative();
// Each element of a product on its row and its column.
Value pattern_of_matmul(Sets& sets, const Entry& entry, const Residuals& residuals, std::span<const Value> of);
// Of matmul, dot and scaled_matmul, which has `zeros` after the factors.
Value matmul_batch(Builder& builder, Call& call, const Batching& batching);

// (a, b): sum(a * b, axis=-1), of shapes that broadcast. A batch of products of vectors is one: its tangents are added
// as theirs are.
const Entry& dot_rows_entry();
Derivative dot_rows_derivative();
Value pattern_of_dot_rows(Sets& sets, const Entry& entry, const Residuals& residuals, std::span<const Value> of);

// a @ b in an adjoint: bit 0 or 1 of `zeros` says that a or b is a cotangent, which makes a term 0 where it is ±0
// (convolution/repair_nan.hpp).
Value scaled_matmul(Builder& builder, Value a, Value b, uint64_t zeros);

Derivative contract_derivative();
Value contract_batch(Builder& builder, Call& call, const Batching& batching);

// Operands of contract's call: its factors begin here.
inline constexpr unsigned first_factor = 2;

}  // namespace covec::ops
