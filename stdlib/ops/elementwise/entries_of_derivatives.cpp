// The operators that only derivatives use; their entries: entries.cpp.
#include "stdlib/ops/elementwise/lists.hpp"

namespace covec::ops {

const PointwiseOperator& operator_in(Derivatives family, size_t index) {
  return operator_at(family, COVEC_PER_ISA(derivative_rows), index);
}
const PointwiseOperator& operator_in(ErrorDerivatives family, size_t index) {
  return operator_at(family, COVEC_PER_ISA(error_derivative_rows), index);
}
const PointwiseOperator& operator_in(PointDerivatives family, size_t index) {
  return operator_at(family, COVEC_PER_ISA(point_derivative_rows), index);
}
const PointwiseOperator& operator_in(PowerDerivatives family, size_t index) {
  return operator_at(family, COVEC_PER_ISA(power_derivative_rows), index);
}

}  // namespace covec::ops
