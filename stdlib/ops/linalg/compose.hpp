// Products and sums over matrices that are composed of other operators.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {}  // namespace covec::ops
