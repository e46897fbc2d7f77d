// Kernels for derivatives of functions of two numbers, for one instruction set. The loops: kernel.hpp.
#include "stdlib/ops/elementwise/bodies/derivatives_of_points.hpp"
#include "stdlib/ops/elementwise/bodies/derivatives_of_powers.hpp"
#include "stdlib/ops/elementwise/kernels/kernel.hpp"

namespace covec::COVEC_ISA {

const KernelRow* point_derivative_rows() { return Rows<ops::PointDerivatives>::rows; }
const KernelRow* power_derivative_rows() { return Rows<ops::PowerDerivatives>::rows; }

}  // namespace covec::COVEC_ISA
