// Kernels of stdlib/ops/elementwise/bodies/angles.hpp for one instruction set. The loops: kernel.hpp.
#include "stdlib/ops/elementwise/bodies/angles.hpp"
#include "stdlib/ops/elementwise/kernels/kernel.hpp"

namespace covec::COVEC_ISA {

const KernelRow* angle_rows() { return Rows<ops::Angles>::rows; }

}  // namespace covec::COVEC_ISA
