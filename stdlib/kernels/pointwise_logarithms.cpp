// Kernels of stdlib/ops/pointwise/logarithms.hpp for one instruction set. The loops: pointwise_kernel.hpp.
#include "stdlib/kernels/pointwise_kernel.hpp"
#include "stdlib/ops/pointwise/logarithms.hpp"

namespace covec::COVEC_ISA {

const KernelRow* logarithm_rows() { return Rows<ops::Logarithms>::rows; }

}  // namespace covec::COVEC_ISA
