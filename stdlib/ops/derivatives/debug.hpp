// debug(f): calls f as it is, and where its result has a NaN or infinity that no argument has, finds the operator that
// made it.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

const Entry& debug_entry();

}  // namespace covec::ops
