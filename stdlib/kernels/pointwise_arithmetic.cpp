// Kernels of arithmetic, comparisons and logic for one instruction set. The loops: pointwise_kernel.hpp.
#include "stdlib/kernels/pointwise_kernel.hpp"
#include "stdlib/ops/pointwise/arithmetic.hpp"
#include "stdlib/ops/pointwise/compare.hpp"
#include "stdlib/ops/pointwise/logic.hpp"

namespace covec::COVEC_ISA {

const KernelRow* arithmetic_rows() { return Rows<ops::Arithmetic>::rows; }
const KernelRow* comparison_rows() { return Rows<ops::Comparisons>::rows; }
const KernelRow* logic_rows() { return Rows<ops::Logic>::rows; }

}  // namespace covec::COVEC_ISA
