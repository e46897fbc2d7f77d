// Complex matrices in rules, each a pair of real values. So one rule serves eager, taped, batched and compiled code,
// and can itself be differentiated. Private to the family.
#pragma once

#include "stdlib/ops/linalg/parts.hpp"

namespace covec::ops {

// Real where `im` is none. Vectors of eigenvalues are such pairs, too.
struct ComplexMatrix {
  Value re, im;
  bool is_real() const { return im.is_none(); }
};

class ComplexMatrices {
 public:
  using Matrix = ComplexMatrix;
  static constexpr unsigned parts = 2;
  explicit ComplexMatrices(RuleContext& rule) : rule_(rule), m_(rule.builder()) {}
  static ComplexMatrix of(std::span<const Value> operands) { return {operands[0], operands[1]}; }
  static ComplexMatrix of_real(Value x) { return {std::move(x), Value()}; }
  static bool is_absent(const ComplexMatrix& x) { return x.re.is_none(); }

  ComplexMatrix product(const ComplexMatrix& a, const ComplexMatrix& b) const;
  ComplexMatrix add(const ComplexMatrix& a, const ComplexMatrix& b) const;
  ComplexMatrix sub(const ComplexMatrix& a, const ComplexMatrix& b) const;
  ComplexMatrix mul(const ComplexMatrix& a, const ComplexMatrix& b) const;  // elementwise, broadcasting
  ComplexMatrix div(const ComplexMatrix& a, const ComplexMatrix& b) const;  // elementwise, scaled
  ComplexMatrix neg(const ComplexMatrix& a) const;
  ComplexMatrix conj(const ComplexMatrix& a) const;
  ComplexMatrix transposed(const ComplexMatrix& a) const;
  ComplexMatrix adjoint(const ComplexMatrix& a) const { return conj(transposed(a)); }
  ComplexMatrix columns(const ComplexMatrix& a, Dim start, Dim size) const;
  ComplexMatrix rows(const ComplexMatrix& a, Dim start, Dim size) const;
  ComplexMatrix hstack(const ComplexMatrix& a, const ComplexMatrix& b) const;
  ComplexMatrix vstack(const ComplexMatrix& a, const ComplexMatrix& b) const;
  ComplexMatrix zeros_like(const ComplexMatrix& a) const;
  ComplexMatrix as_row(const ComplexMatrix& a) const;
  ComplexMatrix as_column(const ComplexMatrix& a) const;
  ComplexMatrix diagonal(const ComplexMatrix& a) const;
  ComplexMatrix lower(const ComplexMatrix& a, bool with_diagonal) const;
  ComplexMatrix triangle(const ComplexMatrix& a, bool lower, bool with_diagonal) const;
  ComplexMatrix on_diagonal(const ComplexMatrix& vector, Dim n) const;
  ComplexMatrix constant(const ComplexMatrix& a) const;  // as far as derivatives go
  Value imaginary(const ComplexMatrix& a) const;         // zeros where there is none
  Value column_sums(const Value& a) const;

  // By a real system twice as large, [[re, −im], [im, re]] (whose pivots are as good as those of complex LU, and whose
  // products run on all vectors and threads). The inverse of what has none is infinite.
  ComplexMatrix solve(const ComplexMatrix& a, const ComplexMatrix& b) const;
  ComplexMatrix inverse_or_inf(const ComplexMatrix& a, Dim n) const;
  ComplexMatrix inverse(const ComplexMatrix& a, Dim n) const;  // an error where there is none

  // That real form, and the matrix of so many rows and columns that has it.
  Value doubled(const ComplexMatrix& a) const;
  ComplexMatrix of_doubled(const Value& x, Dim rows, Dim columns) const;
  // Another real form: each element as the block [[re, −im], [im, re]]. A triangle's is one.
  Value interleaved(const ComplexMatrix& a, Dim n) const;
  ComplexMatrix of_interleaved(const Value& x, Dim n) const;

 private:
  template <class F>
  static ComplexMatrix each_part(const ComplexMatrix& a, F f) {
    return {f(a.re), a.is_real() ? Value() : f(a.im)};
  }
  ComplexMatrix inverse_by(const Entry& entry, const ComplexMatrix& a, Dim n) const;

  RuleContext& rule_;
  Matrices m_;
};

Value size_of_matrices(Steps& steps, const ComplexMatrix& x);  // the larger of its parts'

// By a real triangle twice as large: triangular.cpp.
ComplexMatrix solve_triangle(Builder& builder, const ComplexMatrix& a, const ComplexMatrix& b, bool lower, bool trans,
                             bool unit, bool vector = false);

// Both parts of an operand, of one float dtype; of a real one zeros are the imaginary part.
ComplexMatrix operand_parts(Builder& builder, Call& call, unsigned operand, Dtype dtype);
// The type of a matrix's parts; `call` goes on with the real one, of which errors speak.
Type parts_type(Builder& builder, Call& call, ComplexMatrix& parts, bool square);
Value value_of(Builder& builder, const ComplexMatrix& x);

// What spread_system makes of a system of which either side is complex. A real matrix stays real.
struct ComplexSystem {
  ComplexMatrix left, right;
  bool vector;
};
ComplexSystem complex_system(Builder& builder, Call& call);

}  // namespace covec::ops
