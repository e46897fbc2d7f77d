// The vocabulary of derivative rules. Each word applies the operator of its name through ops::call. So rules work on
// plain values, on traced ones (higher derivatives) and on symbols. Operands are moved: the result overwrites an
// unshared cotangent.
#include "stdlib/ops/contract/rules.hpp"

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/value/half.hpp"

namespace covec::ops {

namespace {

template <class... Operands>
Value apply(Builder& builder, const Entry& entry, Operands&&... operands) {
  Value args[] = {std::move(operands)...};
  return call(builder, entry, args);
}

}  // namespace

Value RuleContext::add(Value a, Value b) { return apply(builder_, handles().add, std::move(a), std::move(b)); }
Value RuleContext::sub(Value a, Value b) { return apply(builder_, handles().subtract, std::move(a), std::move(b)); }
Value RuleContext::mul(Value a, Value b) { return apply(builder_, handles().multiply, std::move(a), std::move(b)); }
Value RuleContext::div(Value a, Value b) { return apply(builder_, handles().divide, std::move(a), std::move(b)); }
Value RuleContext::neg(Value a) { return apply(builder_, handles().negate, std::move(a)); }

Value RuleContext::where(Value condition, Value a, Value b) {
  return apply(builder_, handles().where, std::move(condition), std::move(a), std::move(b));
}

Value RuleContext::scale(Value cotangent, Value factor) {
  if (ieee_) return mul(std::move(cotangent), std::move(factor));
  return apply(builder_, handles().scale, std::move(cotangent), std::move(factor));
}

Value RuleContext::scale_both(Value a, Value b) {
  if (ieee_) return mul(std::move(a), std::move(b));
  return apply(builder_, handles().scale_both, std::move(a), std::move(b));
}

Value Derivative::Partial::times(RuleContext& rules, unsigned i, const Residuals& residuals, Value cotangent) const {
  if (watch != nullptr) watch(rules, residuals, cotangent);
  if (product != nullptr) return product(rules, i, residuals, std::move(cotangent));
  Value partial = of(rules, i, residuals);
  const bool truth = operand_dtype(partial) == Dtype::boolean;
  if (!truth && !selects) return rules.scale(std::move(cotangent), std::move(partial));
  if (partial.tag() == Tag::boolean && partial.boolean()) return cotangent;
  if (!truth && !rules.ieee()) return rules.scale_both(std::move(cotangent), std::move(partial));
  const Value zero = rules.number(0, operand_dtype(cotangent));
  if (truth) return rules.where(std::move(partial), std::move(cotangent), zero);
  const Value nonzero = rules.call(handles().not_equal, {partial, zero});
  return rules.where(nonzero, rules.mul(std::move(cotangent), std::move(partial)), zero);
}

Value RuleContext::cast(Value a, Dtype dtype) { return cast_to(builder_, std::move(a), dtype); }

Value RuleContext::sum_to(Value a, const Type& type) {
  return cast(ops::sum_to(builder_, std::move(a), type.shape), type.dtype);
}

Value RuleContext::broadcast_to(Value a, const Shape& shape) {
  return ops::broadcast_to(builder_, std::move(a), shape);
}
Value RuleContext::reshape(Value a, const Shape& shape) { return ops::reshape(builder_, std::move(a), shape); }

Value RuleContext::transpose(Value a, std::span<const unsigned> permutation) {
  return permute(builder_, std::move(a), permutation);
}

Value RuleContext::zeros(const Type& type) {
  return type.shape.rank() == 0 ? number(0, type.dtype) : ops::zeros(builder_, type);
}

Value RuleContext::number(double value, Dtype dtype) { return Value::number(dtype, value); }

}  // namespace covec::ops
