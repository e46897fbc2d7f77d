// The operators of the elementary and special functions beyond functions.hpp; their entries: entries.cpp.
#include "stdlib/ops/elementwise/lists.hpp"

namespace covec::ops {

const PointwiseOperator& operator_in(Roots family, size_t index) {
  return operator_at(family, {{baseline::root_rows, avx2::root_rows, avx512::root_rows}}, index);
}
const PointwiseOperator& operator_in(Logarithms family, size_t index) {
  return operator_at(family, {{baseline::logarithm_rows, avx2::logarithm_rows, avx512::logarithm_rows}}, index);
}
const PointwiseOperator& operator_in(Angles family, size_t index) {
  return operator_at(family, {{baseline::angle_rows, avx2::angle_rows, avx512::angle_rows}}, index);
}
const PointwiseOperator& operator_in(Hyperbolic family, size_t index) {
  return operator_at(family, {{baseline::hyperbolic_rows, avx2::hyperbolic_rows, avx512::hyperbolic_rows}}, index);
}
const PointwiseOperator& operator_in(ErrorFunctions family, size_t index) {
  return operator_at(family, {{baseline::error_function_rows, avx2::error_function_rows, avx512::error_function_rows}},
                     index);
}
const PointwiseOperator& operator_in(GammaFunctions family, size_t index) {
  return operator_at(family, {{baseline::gamma_rows, avx2::gamma_rows, avx512::gamma_rows}}, index);
}

}  // namespace covec::ops
