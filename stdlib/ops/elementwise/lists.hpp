// All lists of pointwise operators, one a header of bodies/. Their bodies are lowered in three files, so that none
// takes long to compile; the entries made of them are in the first, entries.cpp.
#pragma once

#include "stdlib/ops/elementwise/bodies/angles.hpp"
#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/bodies/casts.hpp"
#include "stdlib/ops/elementwise/bodies/compare.hpp"
#include "stdlib/ops/elementwise/bodies/derivatives.hpp"
#include "stdlib/ops/elementwise/bodies/derivatives_of_errors.hpp"
#include "stdlib/ops/elementwise/bodies/derivatives_of_points.hpp"
#include "stdlib/ops/elementwise/bodies/derivatives_of_powers.hpp"
#include "stdlib/ops/elementwise/bodies/error_function.hpp"
#include "stdlib/ops/elementwise/bodies/functions.hpp"
#include "stdlib/ops/elementwise/bodies/gamma.hpp"
#include "stdlib/ops/elementwise/bodies/hyperbolic.hpp"
#include "stdlib/ops/elementwise/bodies/logarithms.hpp"
#include "stdlib/ops/elementwise/bodies/logic.hpp"
#include "stdlib/ops/elementwise/bodies/roots.hpp"
#include "stdlib/ops/elementwise/bodies/rounding.hpp"
#include "stdlib/ops/elementwise/make_entry.hpp"

namespace covec::ops {

// The operator with this number in a family.
const PointwiseOperator& operator_in(Arithmetic, size_t index);
const PointwiseOperator& operator_in(Comparisons, size_t index);
const PointwiseOperator& operator_in(Logic, size_t index);
const PointwiseOperator& operator_in(Rounding, size_t index);
const PointwiseOperator& operator_in(Functions, size_t index);
const PointwiseOperator& operator_in(Casts, size_t index);
// entries_of_functions.cpp
const PointwiseOperator& operator_in(Roots, size_t index);
const PointwiseOperator& operator_in(Logarithms, size_t index);
const PointwiseOperator& operator_in(Angles, size_t index);
const PointwiseOperator& operator_in(Hyperbolic, size_t index);
const PointwiseOperator& operator_in(ErrorFunctions, size_t index);
const PointwiseOperator& operator_in(GammaFunctions, size_t index);
// entries_of_derivatives.cpp
const PointwiseOperator& operator_in(Derivatives, size_t index);
const PointwiseOperator& operator_in(ErrorDerivatives, size_t index);
const PointwiseOperator& operator_in(PointDerivatives, size_t index);
const PointwiseOperator& operator_in(PowerDerivatives, size_t index);

template <class... Operators>
const PointwiseOperator& operator_at(List<Operators...>, const FamilyRows& rows, size_t index) {
  static constexpr const PointwiseOperator& (*make[])(const FamilyRows&, size_t) = {make_operator<Operators>...};
  return make[index](rows, index);
}

}  // namespace covec::ops
