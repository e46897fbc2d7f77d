// mean with weights: the sum of the products by the sum of the weights.
#include <limits>

#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/promotion.hpp"
#include "stdlib/ops/contract/steps.hpp"
#include "stdlib/ops/reduce/compose.hpp"
#include "stdlib/ops/reduce/family.hpp"
#include "stdlib/ops/reduce/reduce.hpp"

namespace covec::ops {

namespace {

constexpr unsigned of_keepdims = 2, of_weights = 3;  // operand numbers, in the order of mean's parameters

struct Weights {
  Value beside_x;  // so that they broadcast to x's shape
  Value axes;      // those of them that are reduced
};

// Of x's shape, or a vector along the one axis that is reduced.
Weights weights_of(Steps& steps, Call& call, const Shape& x, uint32_t axes, Dtype dtype) {
  Builder& builder = steps.builder();
  const Shape shape = operand_of(builder, call, of_weights).shape;
  Value weights = steps.cast(call.args[of_weights], dtype);
  if (shape.rank() == x.rank()) {
    for (unsigned i = 0; i < x.rank(); ++i) steps.same_length(x[i], shape[i], "mean", "x", "weights");
    return {std::move(weights), axes_value(axes)};
  }
  const bool one_axis = axes != 0 && (axes & (axes - 1)) == 0;
  if (shape.rank() != 1 || !one_axis) {
    fail_attribute(call, of_weights, "of the shape of x, or a vector along the one axis");
  }
  const auto axis = static_cast<unsigned>(__builtin_ctz(axes));
  steps.same_length(x[axis], shape[0], "mean", "x", "weights");
  for (unsigned i = axis + 1; i < x.rank(); ++i) weights = unsqueeze(builder, std::move(weights), i - axis);
  return {std::move(weights), axes_value(1)};
}

Value weighted_mean_eager(Builder& builder, Call& call) {
  Steps steps(builder);
  const Type x = operand_of(builder, call, 0);
  const uint32_t axes = reduce_arguments(call, x.shape.rank()).axes;
  const bool keepdims = flag_argument(call, of_keepdims);
  const Dtype dtype = float_dtype(product_dtype(x.dtype, operand_of(builder, call, of_weights).dtype));
  const auto [weights, reduced] = weights_of(steps, call, x.shape, axes, dtype);
  const Value products = steps.mul(steps.cast(call.args[0], dtype), weights);
  const Value sum = steps.reduce(handles().sum, products, axes_value(axes), keepdims);
  const Value whole = steps.reduce(handles().sum, weights, reduced, keepdims);
  // The divisor is nan where it would be 0: so derivatives are nan there, too.
  const Value zero = steps.number(0, dtype), nan = steps.number(std::numeric_limits<double>::quiet_NaN(), dtype);
  return steps.div(sum, steps.where(steps.equal(whole, zero), nan, whole));
}

}  // namespace

const Entry& weighted_mean_entry() {
  static const Entry entry{.name = "weighted_mean",
                           .doc = "`mean` with weights.",
                           .parameters = {any_parameter("x"), attribute("axis", Value()), attribute("keepdims", false),
                                          any_parameter("weights")},
                           .eager = weighted_mean_eager,
                           .derivative = Derivative::of_parts(),
                           .effects = {.may_fail = true},
                           .samples = {{.arguments = "[1.0, 2.0, 5.0], none, false, [3.0, 1.0, 0.5]",
                                        .expected = "1.6666666666666667",
                                        .ulp = 1,
                                        .differentiate = true},
                                       {.arguments = "[[1.0, 2.0], [3.0, 5.0]], 0, true, [1.0, 3.0]",
                                        .expected = "[[2.5, 4.25]]",
                                        .differentiate = true}},
                           .internal = true,
                           .staging = Staging::structural,
                           .part_of = "mean"};
  return entry;
}

Family reduce_weighted_entries() {
  static const Entry* const entries[] = {&weighted_mean_entry()};
  return entries;
}

}  // namespace covec::ops
