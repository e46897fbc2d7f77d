// Derivatives and batch rule of the reduce family. Private to reduce*.cpp.
#pragma once

#include "stdlib/ops/reduce.hpp"

namespace covec::ops {

Value reduce_batch(Builder& builder, Call& call, const Batching& batching);

Value sum_transpose(RuleContext& rule, unsigned operand, const Kept& kept, const Value& cotangent);
Value mean_transpose(RuleContext& rule, unsigned operand, const Kept& kept, const Value& cotangent);
Derivative prod_derivative();
Derivative max_derivative();
Derivative min_derivative();
Derivative logsumexp_derivative();

// log(Σ exp x) by other operators, as the eager engine computes it.
Value logsumexp_composed(Builder& builder, Call& call);

const Entry& running_product_entry();  // (x, right): what prod's derivative is made of

}  // namespace covec::ops
