// Where tensors lie.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

Family devices_family();

}  // namespace covec::ops
