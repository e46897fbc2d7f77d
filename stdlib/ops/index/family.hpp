// The files of the index family that hold operators: each lists its own at its end.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

Family index_gather_entries();
Family index_entries();
Family index_nonzero_entries();
Family index_unravel_entries();

Family index_family();

}  // namespace covec::ops
