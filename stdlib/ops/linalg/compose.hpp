// Products and sums over matrices that are made of other operators.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& outer_entry();  // (a, b)
const Entry& kron_entry();   // (a, b)
const Entry& trace_entry();  // (x, k=0)

}  // namespace covec::ops
