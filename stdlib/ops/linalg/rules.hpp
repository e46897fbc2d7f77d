// Derivatives and batch rules of the linalg family. Private to the family.
#pragma once

#include "stdlib/ops/linalg/linalg.hpp"

namespace covec::ops {

// The type of a product of operands of these types; raises the errors. `call` is matmul's or dot's.
Type product_type(ShapeBuilder& shapes, const Call& call, const Type& left, const Type& right);
Derivative matmul_derivative();
Value matmul_batch(Builder& builder, Call& call, const Batching& batching);

Derivative contract_derivative();
Value contract_batch(Builder& builder, Call& call, const Batching& batching);

// Operands of contract's call: its factors begin here.
inline constexpr unsigned first_factor = 2;

}  // namespace covec::ops
