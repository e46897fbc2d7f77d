// Functions that are known at points: differences, integrals, values between.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

Family sampled_family();

}  // namespace covec::ops
