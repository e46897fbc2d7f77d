// Functions known at points: differences, integrals, interpolation.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

Family sampled_series_entries();  // those of series.cpp
Family sampled_family();

}  // namespace covec::ops
