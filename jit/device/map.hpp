// Elementwise operations on a device outside a function's own kernels: conversions of dtypes, division by a number.
#pragma once

#include "stdlib/device/devices.hpp"

namespace covec::runtime {

// Unbound where x's axes are too many for a kernel; x itself where it has the dtype.
Value converted_on_device(device::Accelerator& accelerator, Pool& pool, const Value& x, Dtype dtype);
// x / number, of floats (f32, f64).
Value divided_on_device(device::Accelerator& accelerator, Pool& pool, const Value& x, double number);

}  // namespace covec::runtime
