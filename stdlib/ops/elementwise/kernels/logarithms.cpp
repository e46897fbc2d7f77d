// Kernels of stdlib/ops/elementwise/bodies/logarithms.hpp for one instruction set. The loops: kernel.hpp.
#include "stdlib/ops/elementwise/bodies/logarithms.hpp"
#include "stdlib/ops/elementwise/kernels/kernel.hpp"

namespace covec::COVEC_ISA {

const KernelRow* logarithm_rows() { return Rows<ops::Logarithms>::rows; }

}  // namespace covec::COVEC_ISA
