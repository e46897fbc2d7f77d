// Kernels of the elementary functions for one instruction set. The loops: kernel.hpp.
#include "stdlib/ops/elementwise/bodies/functions.hpp"
#include "stdlib/ops/elementwise/kernels/kernel.hpp"

namespace covec::COVEC_ISA {

const KernelRow* function_rows() { return Rows<ops::Functions>::rows; }

}  // namespace covec::COVEC_ISA
