// Reductions that are composed of others. `var`, `std` and `count_nonzero` pass their operand on as it is, traced or
// not. `softmax` and `log_softmax` have derivatives of their own, which need only the result.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& var_entry();
const Entry& centred_entry();        // (x, axis=none): x less its mean
const Entry& softmax_entry();        // (x, axis=-1)
const Entry& log_softmax_entry();    // (x, axis=-1)
const Entry& weighted_mean_entry();  // (x, axis=none, keepdims=false, weights)

}  // namespace covec::ops
