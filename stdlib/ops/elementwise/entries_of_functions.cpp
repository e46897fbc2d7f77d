// The operators of the elementary and special functions beyond functions.hpp; their entries: entries.cpp.
#include "stdlib/ops/elementwise/lists.hpp"

namespace covec::ops {

const PointwiseOperator& operator_in(Roots family, size_t index) {
  return operator_at(family, COVEC_PER_ISA(root_rows), index);
}
const PointwiseOperator& operator_in(Logarithms family, size_t index) {
  return operator_at(family, COVEC_PER_ISA(logarithm_rows), index);
}
const PointwiseOperator& operator_in(Angles family, size_t index) {
  return operator_at(family, COVEC_PER_ISA(angle_rows), index);
}
const PointwiseOperator& operator_in(Hyperbolic family, size_t index) {
  return operator_at(family, COVEC_PER_ISA(hyperbolic_rows), index);
}
const PointwiseOperator& operator_in(ErrorFunctions family, size_t index) {
  return operator_at(family, COVEC_PER_ISA(error_function_rows), index);
}
const PointwiseOperator& operator_in(GammaFunctions family, size_t index) {
  return operator_at(family, COVEC_PER_ISA(gamma_rows), index);
}

}  // namespace covec::ops
