// Kernels of stdlib/ops/elementwise/bodies/hyperbolic.hpp for one instruction set. The loops: kernel.hpp.
#include "stdlib/ops/elementwise/bodies/hyperbolic.hpp"
#include "stdlib/ops/elementwise/kernels/kernel.hpp"

namespace covec::COVEC_ISA {

const KernelRow* hyperbolic_rows() { return Rows<ops::Hyperbolic>::rows; }

}  // namespace covec::COVEC_ISA
