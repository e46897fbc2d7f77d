// Operators on the place of tensors: the processor or a device.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

Family devices_family();

}  // namespace covec::ops
