// The operators that only derivatives use; their entries: entries.cpp.
#include "stdlib/ops/elementwise/lists.hpp"

namespace covec::ops {

const PointwiseOperator& operator_in(Slopes family, size_t index) {
  return operator_at(family, {{baseline::slope_rows, avx2::slope_rows, avx512::slope_rows}}, index);
}
const PointwiseOperator& operator_in(ErrorSlopes family, size_t index) {
  return operator_at(family, {{baseline::error_slope_rows, avx2::error_slope_rows, avx512::error_slope_rows}}, index);
}
const PointwiseOperator& operator_in(PointSlopes family, size_t index) {
  return operator_at(family, {{baseline::point_slope_rows, avx2::point_slope_rows, avx512::point_slope_rows}}, index);
}
const PointwiseOperator& operator_in(PowerSlopes family, size_t index) {
  return operator_at(family, {{baseline::power_slope_rows, avx2::power_slope_rows, avx512::power_slope_rows}}, index);
}

}  // namespace covec::ops
