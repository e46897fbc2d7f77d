// A launch whose last elements are reduced as they are computed: they never reach memory.
#pragma once

#include "jit/loops/plan.hpp"
#include "jit/runtime/elements.hpp"
#include "stdlib/value/context.hpp"

namespace covec::runtime {

// False where an element fails; `extents` has elements. Throws as reductions do.
bool reduce(ops::Context& context, const loops::Launch& launch, const Elements& elements, const Shape& extents,
            Value& result);

}  // namespace covec::runtime
