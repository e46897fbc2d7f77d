// Kernels of stdlib/ops/pointwise/error_function.hpp for one instruction set. The loops: pointwise_kernel.hpp.
#include "stdlib/kernels/pointwise_kernel.hpp"
#include "stdlib/ops/pointwise/error_function.hpp"

namespace covec::COVEC_ISA {

const KernelRow* error_function_rows() { return Rows<ops::ErrorFunctions>::rows; }

}  // namespace covec::COVEC_ISA
