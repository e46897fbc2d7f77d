// The instruction set that the kernels use.
#pragma once

#include "stdlib/gate/gate.hpp"
#include "stdlib/value/context.hpp"

namespace covec::ops {

// What this machine can run. COVEC_ISA=baseline|avx2|avx512 in the environment lowers it (tests), where that is asked.
Isa detect_isa(const Gate& gate = open_gate(true));

}  // namespace covec::ops
