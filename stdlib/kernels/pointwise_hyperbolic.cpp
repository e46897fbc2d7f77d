// Kernels of stdlib/ops/pointwise/hyperbolic.hpp for one instruction set. The loops: pointwise_kernel.hpp.
#include "stdlib/kernels/pointwise_kernel.hpp"
#include "stdlib/ops/pointwise/hyperbolic.hpp"

namespace covec::COVEC_ISA {

const KernelRow* hyperbolic_rows() { return Rows<ops::Hyperbolic>::rows; }

}  // namespace covec::COVEC_ISA
