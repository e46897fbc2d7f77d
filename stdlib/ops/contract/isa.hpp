// Which instruction set the kernels use.
#pragma once

#include "stdlib/value/context.hpp"

namespace covec::ops {

// What this machine can run. COVEC_ISA=baseline|avx2|avx512 in the environment lowers it (tests).
Isa detect_isa();

}  // namespace covec::ops
