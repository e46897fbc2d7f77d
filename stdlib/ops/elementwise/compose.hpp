// Elementwise operators that are made of others.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& log_add_exp_entry();  // (a, b): floats of one dtype; internal

Family elementwise_compose_entries();

}  // namespace covec::ops
