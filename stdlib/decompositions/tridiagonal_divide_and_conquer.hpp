// Finds eigenvalues of tridiagonal matrices by divide and conquer. One off-diagonal element connects the two parts. The
// parts' eigenvalues are the poles of a secular equation (secular.hpp), and its vectors are multiplied by theirs. J.
// Cuppen, "A divide and conquer method for the symmetric tridiagonal eigenproblem", Numer. Math. 36 (1981). If an
// element of z or a gap of d is small, the computation is skipped (deflation): J. Dongarra and D. Sorensen, "A fully
// parallel algorithm for the symmetric eigenvalue problem", SIAM J. Sci. Stat. Comput. 8 (1987).
#pragma once

#include "stdlib/decompositions/dense.hpp"

namespace covec::kernels {

// d (n) becomes the eigenvalues, in no order, the rows of the n × n matrix their vectors; e (n − 1) is lost. False
// where it does not converge.
template <class T>
bool tridiagonal_divide_and_conquer(ops::Context& context, T* d, T* e, Dense<T> rows);

}  // namespace covec::kernels
