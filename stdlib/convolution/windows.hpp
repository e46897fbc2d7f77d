// The kernels of windows for the instruction set that is used.
#pragma once

#include "stdlib/convolution/windows_table.hpp"
#include "stdlib/value/context.hpp"

namespace covec::kernels {

const WindowKernels& windows_for(ops::Isa isa);  // convolve.cpp

}  // namespace covec::kernels
