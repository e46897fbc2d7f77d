// Reduces matrices to upper bidiagonal form, and finds the singular values of that by implicit QR steps that keep small
// values exact: J. Demmel and W. Kahan, "Accurate singular values of bidiagonal matrices", SIAM J. Sci. Stat. Comput.
// 11 (1990). The reduction takes a block of columns at a time, as in J. Dongarra, S. Hammarling and D. Sorensen, "Block
// reduction of matrices to condensed forms for eigenvalue computations", J. Comput. Appl. Math. 27 (1989). Half of the
// reduction is matrix products, which Eigen's UpperBidiagonalization would do without vectors: decompose.hpp compares.
#pragma once

#include "stdlib/decompositions/reflectors.hpp"

namespace covec::kernels {

// A = Q·B·Pᵀ of an m × n matrix with m ≥ n, which is lost: the diagonal of B into d (n), what is right of it into e (n
// − 1), and the reflectors: `left` ones of Q, n × m with offset 0, `right` ones of P, n × n with offset 1, of which the
// last is none. v is 0 before, tau is written.
template <class T>
struct BidiagonalReflectors {
  Dense<T> left, right;
  T *left_tau, *right_tau;
  Reflectors<T> of_left() const { return {left, left_tau, 0}; }
  Reflectors<T> of_right() const { return {right.part(0, 0, right.rows - 1, right.columns), right_tau, 1}; }
};
template <class T>
void reduce_to_bidiagonal(ops::Context& context, Dense<T> a, T* d, T* e, const BidiagonalReflectors<T>& reflectors);

// Singular values into d, in no order and of any sign; the rows of ut and vt, of which the first n count, rotated with
// them. False where it does not converge.
template <class T>
bool bidiagonal_singular_values(ops::Context& context, int64_t n, T* d, T* e, Dense<T> ut, Dense<T> vt);

}  // namespace covec::kernels
