// Which instruction set the kernels use.
#pragma once

#include "stdlib/value/context.hpp"

namespace covec::ops {

// What this machine can run. COVEC_ISA=baseline|avx2|avx512 in the environment lowers it (tests), where that is asked.
Isa detect_isa(bool use_environment = true);

}  // namespace covec::ops
