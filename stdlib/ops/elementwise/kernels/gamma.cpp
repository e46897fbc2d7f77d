// Kernels of stdlib/ops/elementwise/bodies/gamma.hpp for one instruction set. The loops: kernel.hpp.
#include "stdlib/ops/elementwise/bodies/gamma.hpp"
#include "stdlib/ops/elementwise/kernels/kernel.hpp"

namespace covec::COVEC_ISA {

const KernelRow* gamma_rows() { return Rows<ops::GammaFunctions>::rows; }

}  // namespace covec::COVEC_ISA
