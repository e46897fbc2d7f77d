#pragma once

#include <cstdint>

namespace covec::runtime {

// What a device computes where no operand is there yet (with one that is, everything): all; what is large; what is
// large and takes the processor longer than its operands take to get there.
enum class DeviceUse : uint8_t { all, large, profitable };

}  // namespace covec::runtime
