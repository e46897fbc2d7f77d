// The files of the random family that hold operators: each lists its own at its end.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

Family random_entries();
Family random_example_entries();

Family random_family();

}  // namespace covec::ops
