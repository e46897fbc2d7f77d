// Kernels of stdlib/ops/elementwise/bodies/roots.hpp for one instruction set. The loops: kernel.hpp.
#include "stdlib/ops/elementwise/bodies/roots.hpp"
#include "stdlib/ops/elementwise/kernels/kernel.hpp"

namespace covec::COVEC_ISA {

const KernelRow* root_rows() { return Rows<ops::Roots>::rows; }

}  // namespace covec::COVEC_ISA
