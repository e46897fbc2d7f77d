// What the composed reductions share.
#pragma once

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/reduce/rules.hpp"
#include "stdlib/value/traced.hpp"

namespace covec::ops {

// A reduction under way: its rule context, x in the dtype that is computed with, and over which axes.
struct Reduction {
  RuleContext rule;
  Value x;
  Type type;
  ReduceArguments arguments;

  Reduction(Builder& builder, Call& call, unsigned axis, int keepdims) : rule(builder, true) {
    require_operand(builder, call, 0);
    type = logical_type(call.args[0]);
    arguments = reduce_arguments(call, type.shape.rank(), axis);
    arguments.keepdims = keepdims >= 0 && flag_argument(call, static_cast<unsigned>(keepdims));
    if (!is_float(type.dtype)) type.dtype = Dtype::f64;
    x = cast_to(builder, std::move(call.args[0]), type.dtype);
  }
  Value sum(Value terms) { return sum_along(rule, std::move(terms), arguments); }
  Value number(double value) { return rule.number(value, type.dtype); }
};

}  // namespace covec::ops
