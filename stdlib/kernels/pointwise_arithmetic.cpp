// Kernels of arithmetic, comparisons, logic and rounding for one instruction set. The loops: pointwise_kernel.hpp.
#include "stdlib/kernels/pointwise_kernel.hpp"
#include "stdlib/ops/pointwise/arithmetic.hpp"
#include "stdlib/ops/pointwise/compare.hpp"
#include "stdlib/ops/pointwise/logic.hpp"
#include "stdlib/ops/pointwise/rounding.hpp"

namespace covec::COVEC_ISA {

const KernelRow* arithmetic_rows() { return Rows<ops::Arithmetic>::rows; }
const KernelRow* comparison_rows() { return Rows<ops::Comparisons>::rows; }
const KernelRow* logic_rows() { return Rows<ops::Logic>::rows; }
const KernelRow* rounding_rows() { return Rows<ops::Rounding>::rows; }

}  // namespace covec::COVEC_ISA
