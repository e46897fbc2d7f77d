// A back end without machine code: it reads a Program instruction by instruction, computing with plain C++. What it
// gives is what the others must give. One program at a time, on one thread, but kernels may run on several.
#pragma once

#include "jit/loops/program.hpp"
#include "jit/runtime/run.hpp"

namespace covec::test {

// Runs `program` until the next call of this.
runtime::Backend reference_backend(const loops::Program& program);
// How often each kernel has been called since.
int64_t kernel_calls();

}  // namespace covec::test
