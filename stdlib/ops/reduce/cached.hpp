// Computes large tensors in eager code a cacheful at a time. It gives the results of a few steps of other operators,
// bit for bit, without whole tensors in between. Each function gives Value::unbound() if there is no gain (small,
// strided, traced or symbolic operands); then the steps run one by one.
#pragma once

#include "stdlib/ops/reduce/reduce.hpp"

namespace covec::ops {

// The sum of x² along the last axes, which `arguments` names.
Value sum_of_squares_cached(Builder& builder, const Value& x, const ReduceArguments& arguments);
// The same of x's distances from their mean, as first + mean(x − first); `first` has one number for each result, and
// x's rank.
Value sum_of_centred_squares_cached(Builder& builder, const Value& x, const Value& first,
                                    const ReduceArguments& arguments);

// sum(x * y) of tensors of one shape and dtype.
Value sum_of_products_cached(Builder& builder, const Value& x, const Value& y);

// softmax, or log_softmax, of the rows along the last axis, if that is what `arguments` names.
Value softmax_cached(Builder& builder, const Value& x, const ReduceArguments& arguments, bool logarithm);

}  // namespace covec::ops
