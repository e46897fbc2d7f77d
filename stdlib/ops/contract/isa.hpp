// The instruction set that the kernels use.
#pragma once

#include <string>
#include <string_view>

#include "stdlib/gate/gate.hpp"
#include "stdlib/value/context.hpp"

namespace covec::ops {

// Whether this build has kernels for it (COVEC_ISAS, a variable of CMake).
bool is_built(Isa isa);
std::string names_of_built_isas();  // "baseline, avx2"

// The widest one that this machine can run and this build has. COVEC_ISA=baseline|avx2|avx512 in the environment lowers
// it (tests), where that is asked.
Isa detect_isa(const Gate& gate = open_gate(true));
// The one that COVEC_ISA names, where this build does not have it; else "".
std::string_view isa_not_built(const Gate& gate);

}  // namespace covec::ops
