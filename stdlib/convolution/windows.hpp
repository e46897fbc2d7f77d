// The window kernels for the instruction set in use.
#pragma once

#include "stdlib/convolution/windows_table.hpp"
#include "stdlib/value/context.hpp"

namespace covec::kernels {

const WindowKernels& windows_for(ops::Isa isa);  // convolve.cpp

}  // namespace covec::kernels
