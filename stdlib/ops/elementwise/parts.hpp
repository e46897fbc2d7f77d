// Pieces of the pointwise machinery that its files share.
#pragma once

#include <string>

#include "stdlib/ops/elementwise/operator.hpp"

namespace covec::ops {

// How many operands are tensors (an integer attribute is none).
inline unsigned pointwise_operands(const Call& call) {
  const PointwiseInfo& info = call.entry.pointwise->info;
  return info.arity - (info.parameter ? 1u : 0u);
}
int64_t pointwise_parameter(const Call& call);
// "add f64[3] and f64[4]".
std::string pointwise_action(const Call& call);
// Operand i as the body takes it.
ScalarRef promoted_operand(ScalarBuilder& builder, const Call& call, const PointwiseTyping& typing, ScalarRef operand,
                           unsigned i);
PromotionOperand promotion_operand(const Call& call, unsigned i, const Type& type);
// NumPy's broadcasting of two operands' shapes, with the operator's message.
Shape broadcast_shapes(ShapeBuilder& shapes, const Call& call, const Shape& a, const Shape& b);

}  // namespace covec::ops
