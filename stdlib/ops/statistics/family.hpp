// The files of the statistics family that hold operators: each lists its own at its end.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

Family statistics_count_entries();
Family statistics_nan_entries();
Family statistics_quantile_entries();
Family statistics_relation_entries();

Family statistics_family();

}  // namespace covec::ops
