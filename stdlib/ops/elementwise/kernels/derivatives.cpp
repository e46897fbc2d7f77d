// Kernels for derivatives of functions of one number, for one instruction set. The loops: kernel.hpp.
#include "stdlib/ops/elementwise/bodies/derivatives.hpp"
#include "stdlib/ops/elementwise/bodies/derivatives_of_errors.hpp"
#include "stdlib/ops/elementwise/kernels/kernel.hpp"

namespace covec::COVEC_ISA {

const KernelRow* derivative_rows() { return Rows<ops::Derivatives>::rows; }
const KernelRow* error_derivative_rows() { return Rows<ops::ErrorDerivatives>::rows; }

}  // namespace covec::COVEC_ISA
