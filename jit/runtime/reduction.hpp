// Runs a launch that reduces its last elements as they are computed: they never reach memory.
#pragma once

#include "jit/loops/plan.hpp"
#include "jit/runtime/kernel_elements.hpp"
#include "stdlib/kernels/reduce.hpp"
#include "stdlib/ops/reduce/reduce.hpp"
#include "stdlib/value/context.hpp"

namespace covec::runtime {

kernels::ReduceKind kernel_kind(ops::ReduceKind kind);
// Means: n floats divided by how many there were (integers: nothing).
void divide_all(Dtype dtype, void* data, int64_t n, int64_t divisor);
// False where an element fails; `extents` has elements. Throws as reductions do.
bool reduce(ops::Context& context, const loops::Launch& launch, const KernelElements& elements, const Shape& extents,
            Value& result);

}  // namespace covec::runtime
