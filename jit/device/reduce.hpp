// Reduces on a device: first within blocks, then pairs of their results until one is left. Start at reduce_on_device().
#pragma once

#include "jit/device/arguments.hpp"
#include "jit/device/code.hpp"
#include "stdlib/value/function_ref.hpp"

namespace covec::runtime {

// Of outer · n · inner ≥ 1 elements the middle ones are reduced.
struct ReducedExtents {
  int64_t outer = 1, n = 1, inner = 1;
};

// The kernel's parameters are these, then the flag if it has one, partial results and results, and what `rest` adds:
// outputs, inputs, numbers. Gives a tensor of `shape`, with outer · inner elements; a number is a tensor of one
// element.
Value reduce_on_device(device::Accelerator& accelerator, Pool& pool, const DeviceKernel& kernel, bool flat,
                       const ReducedExtents& extents, const Shape& shape, device::Handle flag,
                       FunctionRef<void(DeviceArguments&)> rest);

}  // namespace covec::runtime
