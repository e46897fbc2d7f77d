// Kernels of stdlib/ops/pointwise/roots.hpp for one instruction set. The loops: pointwise_kernel.hpp.
#include "stdlib/kernels/pointwise_kernel.hpp"
#include "stdlib/ops/pointwise/roots.hpp"

namespace covec::COVEC_ISA {

const KernelRow* root_rows() { return Rows<ops::Roots>::rows; }

}  // namespace covec::COVEC_ISA
