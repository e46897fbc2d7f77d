// The files of the signal family that hold operators: each lists its own at its end.
#pragma once

#include "stdlib/ops/contract/entry.hpp"

namespace covec::ops {

Family signal_convolve_entries();
Family signal_fourier_entries();
Family signal_line_entries();
Family signal_pool_entries();
Family signal_entries();

Family signal_family();

}  // namespace covec::ops
