// Kernels of arithmetic, comparisons, logic and rounding for one instruction set. The loops: kernel.hpp.
#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/bodies/compare.hpp"
#include "stdlib/ops/elementwise/bodies/logic.hpp"
#include "stdlib/ops/elementwise/bodies/rounding.hpp"
#include "stdlib/ops/elementwise/kernels/kernel.hpp"

namespace covec::COVEC_ISA {

const KernelRow* arithmetic_rows() { return Rows<ops::Arithmetic>::rows; }
const KernelRow* comparison_rows() { return Rows<ops::Comparisons>::rows; }
const KernelRow* logic_rows() { return Rows<ops::Logic>::rows; }
const KernelRow* rounding_rows() { return Rows<ops::Rounding>::rows; }

}  // namespace covec::COVEC_ISA
