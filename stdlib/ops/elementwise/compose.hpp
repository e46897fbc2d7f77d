// Elementwise operators that are made of others.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& log_add_exp_entry();  // (a, b): floats of one dtype; internal
const Entry& warn_where_entry();   // (condition, text): internal

// Watches the rules of abs and hypot (Derivative::Partial::watch).
void warn_of_zero_length(RuleContext& rules, const Residuals& residuals, const Value& cotangent);

Family elementwise_compose_entries();
Family elementwise_between_entries();

}  // namespace covec::ops
