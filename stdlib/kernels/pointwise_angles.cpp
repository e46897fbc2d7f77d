// Kernels of stdlib/ops/pointwise/angles.hpp for one instruction set. The loops: pointwise_kernel.hpp.
#include "stdlib/kernels/pointwise_kernel.hpp"
#include "stdlib/ops/pointwise/angles.hpp"

namespace covec::COVEC_ISA {

const KernelRow* angle_rows() { return Rows<ops::Angles>::rows; }

}  // namespace covec::COVEC_ISA
