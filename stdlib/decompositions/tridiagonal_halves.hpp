// Eigenvalues of tridiagonal matrices by halves: those of two parts, joined by one off-diagonal element, are poles of a
// secular equation (secular.hpp), and its vectors are products with those of the parts. J. Cuppen, "A divide and
// conquer method for the symmetric tridiagonal eigenproblem", Numer. Math. 36 (1981); what need not be computed, since
// an element of z or a gap of d is small, is left out: J. Dongarra and D. Sorensen, "A fully parallel algorithm for the
// symmetric eigenvalue problem", SIAM J. Sci. Stat. Comput. 8 (1987).
#pragma once

#include "stdlib/decompositions/dense.hpp"

namespace covec::kernels {

// d (n) becomes the eigenvalues, in no order, the rows of the n × n matrix their vectors; e (n − 1) is lost. False
// where it does not converge.
template <class T>
bool tridiagonal_by_halves(ops::Context& context, T* d, T* e, Dense<T> rows);

}  // namespace covec::kernels
