// Kernels of stdlib/ops/pointwise/gamma.hpp for one instruction set. The loops: pointwise_kernel.hpp.
#include "stdlib/kernels/pointwise_kernel.hpp"
#include "stdlib/ops/pointwise/gamma.hpp"

namespace covec::COVEC_ISA {

const KernelRow* gamma_rows() { return Rows<ops::GammaFunctions>::rows; }

}  // namespace covec::COVEC_ISA
