// The operators that only derivatives use; their entries: entries.cpp.
#include "stdlib/ops/elementwise/lists.hpp"

namespace covec::ops {

const PointwiseOperator& operator_in(Derivatives family, size_t index) {
  return operator_at(family, {{baseline::derivative_rows, avx2::derivative_rows, avx512::derivative_rows}}, index);
}
const PointwiseOperator& operator_in(ErrorDerivatives family, size_t index) {
  return operator_at(
      family, {{baseline::error_derivative_rows, avx2::error_derivative_rows, avx512::error_derivative_rows}}, index);
}
const PointwiseOperator& operator_in(PointDerivatives family, size_t index) {
  return operator_at(
      family, {{baseline::point_derivative_rows, avx2::point_derivative_rows, avx512::point_derivative_rows}}, index);
}
const PointwiseOperator& operator_in(PowerDerivatives family, size_t index) {
  return operator_at(
      family, {{baseline::power_derivative_rows, avx2::power_derivative_rows, avx512::power_derivative_rows}}, index);
}

}  // namespace covec::ops
