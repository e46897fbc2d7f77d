// Rules of patterns that entries of several families share.
#include "stdlib/ops/patterns/patterns.hpp"

#include <algorithm>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/entry.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/tensor/tensor.hpp"

namespace covec::ops {

Value reshaped(Sets& sets, const Value& of, const Shape& shape) {
  if (of.is_none() || shape_of(of) == shape) return of;
  return reshape(sets.builder(), of, shape);
}

Value pattern_of_elements(Sets& sets, const Entry&, const Residuals& residuals, std::span<const Value> of) {
  Value all;
  for (const Value& operand : of) {
    if (!operand.is_none()) all = all.is_none() ? operand : sets.unite(all, operand, residuals.result_type->shape);
  }
  return all;
}

template <unsigned axes, unsigned of_result>
Value pattern_of_blocks(Sets& sets, const Entry&, const Residuals& residuals, std::span<const Value> of) {
  const unsigned rank = residuals.result_type->shape.rank(), leading = rank > of_result ? rank - of_result : 0;
  Shape shape = residuals.result_type->shape;
  for (unsigned axis = leading; axis < rank; ++axis) shape[axis] = Dim(1);
  Value all;
  for (const Value& operand : of) {
    if (operand.is_none()) continue;
    const unsigned own = rank_of(operand), before = own > axes ? own - axes : 0;
    const uint32_t block = ((uint32_t{1} << own) - 1) & ~((uint32_t{1} << before) - 1);
    Value united = sets.along(operand, block);
    Shape fitted;
    for (unsigned axis = 0; axis < before; ++axis) fitted.push_back(shape_of(united)[axis]);
    for (unsigned axis = leading; axis < rank; ++axis) fitted.push_back(Dim(1));
    united = reshaped(sets, united, fitted);
    all = all.is_none() ? std::move(united) : sets.unite(all, united, shape);
  }
  return all;
}
template Value pattern_of_blocks<1>(Sets&, const Entry&, const Residuals&, std::span<const Value>);
template Value pattern_of_blocks<2, 1>(Sets&, const Entry&, const Residuals&, std::span<const Value>);
template Value pattern_of_blocks<2, 0>(Sets&, const Entry&, const Residuals&, std::span<const Value>);
template Value pattern_of_blocks<2>(Sets&, const Entry&, const Residuals&, std::span<const Value>);

Value pattern_of_sum_to(Sets& sets, const Entry&, const Residuals& residuals, std::span<const Value> of) {
  const Shape &from = residuals.types[0].shape, &to = residuals.result_type->shape;
  if (to.rank() > from.rank()) return of[0];  // fit_to may broadcast as well
  uint32_t axes = 0;
  for (unsigned axis = 0, shift = from.rank() - to.rank(); axis < from.rank(); ++axis) {
    if (axis < shift || (to[axis - shift] == Dim(1) && !(from[axis] == Dim(1)))) axes |= uint32_t{1} << axis;
  }
  const Value united = sets.along(of[0], axes);
  Shape shape;
  for (unsigned axis = from.rank() - to.rank(); axis < from.rank(); ++axis) {
    const bool one = (axes >> axis & 1) != 0 || from[axis] == Dim(1);
    shape.push_back(one ? Dim(1) : from[axis]);
  }
  return reshaped(sets, united, shape);
}

Value pattern_of_scan(Sets& sets, const Entry& entry, const Residuals& residuals, std::span<const Value> of) {
  const Call call = residual_call(entry, residuals);
  const bool turns = entry.parameters.size() > 2 && entry.parameters[2].name == "backwards";
  const unsigned axis = normal_axis(call, integer_argument(call, 1), residuals.result_type->shape.rank());
  return sets.running(of[0], axis, turns && flag_argument(call, 2));
}

}  // namespace covec::ops
