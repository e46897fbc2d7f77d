// Random numbers on a device: rand, randn and randint. Each element is computed from its own index, as on the
// processor.
#pragma once

#include <string>

#include "stdlib/device/devices.hpp"
#include "stdlib/ops/random/random.hpp"

namespace covec::runtime {

// Its kernel, which computes element i from i. Parameters: n; the result; key, call, and the least integer and how many
// there are (four words).
std::string draw_text(ops::Drawn drawn, Dtype dtype, const std::string& name);

// `type` is that of the call's result, which has elements.
Value draw_on_device(device::Accelerator& accelerator, ops::Builder& builder, ops::Call& call, const Type& type);

}  // namespace covec::runtime
