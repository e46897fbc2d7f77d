#include "stdlib/ops/contract/promotion.hpp"

namespace covec::ops {

namespace {

// True when b decides over a: a higher kind, else a higher class of the same kind, else a wider dtype of the same
// class.
bool decides(const PromotionOperand& b, const PromotionOperand& a) {
  if (kind_of(a.dtype) != kind_of(b.dtype)) return kind_of(b.dtype) > kind_of(a.dtype);
  if (a.operand_class != b.operand_class) return b.operand_class > a.operand_class;
  return b.dtype > a.dtype;
}

// Neither holds the other.
bool are_different_halves(const PromotionOperand& a, const PromotionOperand& b) {
  return is_half(a.dtype) && is_half(b.dtype) && a.dtype != b.dtype && a.operand_class == b.operand_class;
}

}  // namespace

Dtype promote(std::span<const PromotionOperand> operands) {
  PromotionOperand winner = operands[0];
  for (const PromotionOperand& operand : operands.subspan(1)) {
    if (are_different_halves(operand, winner))
      winner.dtype = Dtype::f32;
    else if (decides(operand, winner))
      winner = operand;
  }
  return winner.dtype;
}

Dtype product_dtype(Dtype a, Dtype b) {
  const PromotionOperand operands[] = {{a, OperandClass::tensor}, {b, OperandClass::tensor}};
  const Dtype dtype = promote(operands);
  return dtype == Dtype::boolean ? Dtype::i64 : dtype;
}

Dtype float_dtype(Dtype dtype) { return is_float(dtype) ? dtype : Dtype::f64; }

}  // namespace covec::ops
