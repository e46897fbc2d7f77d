// Derivatives and batch rule of the reduce family. Private to the family.
#pragma once

#include "stdlib/ops/patterns/patterns.hpp"
#include "stdlib/ops/reduce/reduce.hpp"

namespace covec::ops {

// Each element of a result on those that were reduced to it.
Value pattern_of_reduction(Sets& sets, const Entry& entry, const Residuals& residuals, std::span<const Value> of);
// Each on all that lie on the reduced axes with it.
Value pattern_along_axes(Sets& sets, const Entry& entry, const Residuals& residuals, std::span<const Value> of);

Value reduce_batch(Builder& builder, Call& call, const Batching& batching);

Value sum_transpose(RuleContext& rule, unsigned operand, const Residuals& residuals, const Value& cotangent);
Value mean_transpose(RuleContext& rule, unsigned operand, const Residuals& residuals, const Value& cotangent);
Derivative prod_derivative();
Derivative max_derivative();
Derivative min_derivative();
Derivative logsumexp_derivative();

// log(Σ exp x) by other operators, as the eager engine computes it.
Value logsumexp_composed(Builder& builder, Call& call);

// The arguments that a rule kept.
ReduceArguments arguments_of(const Entry& entry, const Residuals& residuals);
Value sum_along(RuleContext& rule, Value x, const ReduceArguments& arguments);
// A result (or its cotangent) with its reduced axes kept, of size 1; and repeated along them, of x's shape.
Value with_axes(RuleContext& rule, const Value& result, const Shape& x, ReduceArguments arguments);
Value spread(RuleContext& rule, const Value& result, const Shape& x, const ReduceArguments& arguments);
// How many elements are reduced to one, as a number beside those of `dtype`.
Value reduced_count(RuleContext& rule, const Shape& x, uint32_t axes, Dtype dtype);

const Entry& running_product_entry();  // (x, right, exponent): what prod's derivative is made of

}  // namespace covec::ops
