// Kernels for derivatives of functions of one number, for one instruction set. The loops: kernel.hpp.
#include "stdlib/ops/elementwise/bodies/slopes.hpp"
#include "stdlib/ops/elementwise/bodies/slopes_of_errors.hpp"
#include "stdlib/ops/elementwise/kernels/kernel.hpp"

namespace covec::COVEC_ISA {

const KernelRow* slope_rows() { return Rows<ops::Slopes>::rows; }
const KernelRow* error_slope_rows() { return Rows<ops::ErrorSlopes>::rows; }

}  // namespace covec::COVEC_ISA
