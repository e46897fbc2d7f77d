// The files of the reduce family that hold operators: each lists its own at its end.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

Family reduce_complex_entries();
Family reduce_compose_entries();
Family reduce_entries();
Family reduce_norm_entries();
Family reduce_rules_entries();
Family reduce_running_entries();
Family reduce_scan_entries();
Family reduce_weighted_entries();

Family reduce_family();

}  // namespace covec::ops
