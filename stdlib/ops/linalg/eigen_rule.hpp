// Derivatives of eigenvalues and eigenvectors. With P = V⁻¹·dA·V, dλ = diag P. D = V·(F∘P) with F_ij = 1/(λ_j − λ_i)
// and a diagonal of zeros. dv_j = D_j − v_j·(Re(v_jᴴ·D_j) + i·Im D_kj/v_kj). This keeps the norm, and keeps the largest
// element, element k, real. Equal values and nearly dependent vectors give a warning. Private to the family.
#pragma once

#include "stdlib/ops/linalg/complex_matrices.hpp"

namespace covec::ops {

struct EigenParts {
  ComplexMatrix values, vectors;  // vectors as columns
};

class EigenRule {
 public:
  // Of any matrices; of such whose vectors are orthonormal `inverse` is given.
  EigenRule(RuleContext& rule, Dim n, std::string_view name, EigenParts eigen);
  EigenRule(RuleContext& rule, Dim n, std::string_view name, EigenParts eigen, ComplexMatrix inverse);

  EigenParts jvp(const ComplexMatrix& da) const;
  ComplexMatrix vjp(const EigenParts& given) const;
  ComplexMatrix values_jvp(const ComplexMatrix& da) const;
  ComplexMatrix values_vjp(const ComplexMatrix& of_values) const;

 private:
  Value distinct_pairs(const ComplexMatrix& touched, const ComplexMatrix& size) const;
  void expect_independent() const;
  ComplexMatrix quotients(const ComplexMatrix& touched, const ComplexMatrix& size) const;
  Value largest() const;
  Value at_largest(const Value& mask, const Value& part) const;
  ComplexMatrix moved(const ComplexMatrix& da) const;
  ComplexMatrix from_p(const ComplexMatrix& of_p) const;

  RuleContext& rule_;
  Dim n_;
  std::string_view name_;
  Matrices m_;
  ComplexMatrices c_;
  EigenParts eigen_;
  ComplexMatrix inverse_;
};

// Of the columns of two matrices, Re(a_jᴴ·b_j), and the imaginary part.
Value real_products(RuleContext& rule, const ComplexMatrix& a, const ComplexMatrix& b);
Value imaginary_products(RuleContext& rule, const ComplexMatrix& a, const ComplexMatrix& b);

// 1 for pairs of distinct numbers λ, of which `touched` says how much depends on the mixing of their vectors and `size`
// of what size the whole is.
Value distinct_pairs(RuleContext& rule, std::string_view name, const EigenParts& eigen, const ComplexMatrix& inverse,
                     const ComplexMatrix& touched, const ComplexMatrix& size);
// 1 where the largest element of a column is, which is real and positive.
Value largest_elements(RuleContext& rule, const ComplexMatrix& vectors);

// Internal.
const Entry& distinct_values_entry();
const Entry& largest_elements_entry();

}  // namespace covec::ops
