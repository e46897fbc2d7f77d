// Moves conversions of numbers out of a kernel. See narrow.cpp.
#pragma once

#include "jit/loops/plan.hpp"

namespace covec::loops {

// The launch converts what its slots hold to the kernel's dtypes.
void take_converted_numbers(Kernel& kernel, Launch& launch);

}  // namespace covec::loops
