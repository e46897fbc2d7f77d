// Derivatives at equal eigenvalues or singular values. There the vectors are not determined, and a reverse rule that
// takes differences of the values would divide 0 by 0. A function that depends on the matrix alone still has a
// derivative: the limit of numerator over denominator while the values move apart. It is found by their tangents along
// such a movement (stdlib/autodiff/split.hpp). Other functions have none, and get a warning. Private to the family.
#pragma once

#include "stdlib/ops/linalg/parts.hpp"

namespace covec::ops {

// Vectors of sorted values, along the last axis. Neighbours count as equal that differ by less than the root of a
// rounding error, relative to the largest: nearer, the limit is more exact than a quotient of differences. Values as
// small as that count as zero where `from_zero` says so, and are equal then.
struct EqualValues {
  EqualValues(Builder& builder, const Value& values, bool from_zero);
  Value apart;  // how they move: 0 where a value is alone
  Value pairs;  // n × n: 1 for two places of equal values, 2 where rounding hides what is between
  Value zero;   // 1 where they count as zero; none but with `from_zero`
};

// A decomposition on a tape, moved along its values so that quotient_of_pairs knows limits. `decompose` is given the
// attribute `split`: the level below the tape on which `a` lies, inside batches; −1 where it lies on none, and for a
// compiler. The values are column `at` of what it gives.
using Decompose = Value (*)(Builder& builder, const Value& a, Value level, bool full);
struct Decomposition {
  std::string_view key;
  Decompose decompose;
  bool full, from_zero;
};
Value decomposed_apart(Builder& builder, const Decomposition& decomposition, const Value& a, Dim at);

// A matrix traced at the level of a split: what it is, and its tangent there (zeros where there is none).
struct Along {
  Value plain, tangent;
  bool open;
};
Along along_split(RuleContext& rule, const Residuals& residuals, const Value& x);

// numerator / denominator, and for the pairs whose values are equal the limit. `touched`: the cotangents of the
// vectors, by pairs, to know whether anything depends on them.
struct PairQuotient {
  Value numerator, denominator, limit, pairs, touched;
  bool open;
};
// Forward rules know no limits: equal values get a warning.
PairQuotient untold(Builder& builder, const Value& denominator, const Value& numerator, const Value& pairs);
Value quotient_of_pairs(RuleContext& rule, std::string_view name, const PairQuotient& quotient);

Value inverse_or_zero(Builder& builder, const Value& x);  // 1/x where x is not 0, else 0
Value antisymmetric(const Matrices& m, const Value& x);   // x − xᵀ
// What the compiler cannot know: whether values are equal.
void require_eager(Builder& builder, std::string_view what);

}  // namespace covec::ops
