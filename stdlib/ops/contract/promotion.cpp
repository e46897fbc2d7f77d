#include "stdlib/ops/contract/promotion.hpp"

#include "stdlib/ops/contract/narrow_dtypes.hpp"

namespace covec::ops {

namespace {

// What a and b have together: the higher kind wins, else the higher class of the same kind; of one class a dtype that
// holds both.
PromotionOperand joined(const PromotionOperand& a, const PromotionOperand& b) {
  if (kind_of(a.dtype) != kind_of(b.dtype)) return kind_of(b.dtype) > kind_of(a.dtype) ? b : a;
  if (a.operand_class != b.operand_class) return b.operand_class > a.operand_class ? b : a;
  return {join(a.dtype, b.dtype), a.operand_class};
}

}  // namespace

Dtype promote(std::span<const PromotionOperand> operands) {
  PromotionOperand winner = operands[0];
  for (const PromotionOperand& operand : operands.subspan(1)) winner = joined(winner, operand);
  return winner.dtype;
}

Dtype product_dtype(Dtype a, Dtype b) {
  const PromotionOperand operands[] = {{a, OperandClass::tensor}, {b, OperandClass::tensor}};
  const Dtype dtype = promote(operands);
  return dtype == Dtype::boolean ? Dtype::i64 : factor_dtype(dtype);
}

Dtype float_dtype(Dtype dtype) { return is_float(dtype) ? dtype : Dtype::f64; }

}  // namespace covec::ops
