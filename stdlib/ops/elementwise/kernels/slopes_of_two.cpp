// Kernels for derivatives of functions of two numbers, for one instruction set. The loops: kernel.hpp.
#include "stdlib/ops/elementwise/bodies/slopes_of_points.hpp"
#include "stdlib/ops/elementwise/bodies/slopes_of_powers.hpp"
#include "stdlib/ops/elementwise/kernels/kernel.hpp"

namespace covec::COVEC_ISA {

const KernelRow* point_slope_rows() { return Rows<ops::PointSlopes>::rows; }
const KernelRow* power_slope_rows() { return Rows<ops::PowerSlopes>::rows; }

}  // namespace covec::COVEC_ISA
