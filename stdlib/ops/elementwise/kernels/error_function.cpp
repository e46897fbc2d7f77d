// Kernels of stdlib/ops/elementwise/bodies/error_function.hpp for one instruction set. The loops: kernel.hpp.
#include "stdlib/ops/elementwise/bodies/error_function.hpp"
#include "stdlib/ops/elementwise/kernels/kernel.hpp"

namespace covec::COVEC_ISA {

const KernelRow* error_function_rows() { return Rows<ops::ErrorFunctions>::rows; }

}  // namespace covec::COVEC_ISA
