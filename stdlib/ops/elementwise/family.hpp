// The elementwise operators: made from the structs of bodies/.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

Family elementwise_family();

}  // namespace covec::ops
