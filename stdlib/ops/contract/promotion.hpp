// Promotion: the dtype of an operation on several dtypes. There are three classes of operand (tensors of rank ≥ 1,
// rank-0 values, literals) and three kinds (bool < int < float). The highest kind wins; within it a lower class never
// widens a higher one. f16 with bf16 of one class is f32. The price against NumPy's rule: x_f32 * s_f64 is f32 for a
// number s that was computed in f64.
#pragma once

#include <cstdint>
#include <span>

#include "stdlib/value/dtype.hpp"

namespace covec::ops {

enum class OperandClass : uint8_t { literal = 0, rank0 = 1, tensor = 2 };

struct PromotionOperand {
  Dtype dtype;
  OperandClass operand_class;
};

// At least one operand.
Dtype promote(std::span<const PromotionOperand> operands);
// The dtype of a product of operands of these dtypes, as for `*` on tensors.
Dtype product_dtype(Dtype a, Dtype b);
// Floats stay, all else becomes f64.
Dtype float_dtype(Dtype dtype);

}  // namespace covec::ops
