// Finds singular values of bidiagonal matrices by divide and conquer. One row divides the matrix into the rows above
// and below it. The singular values of both parts are the poles of a secular equation (secular.hpp). That row, in the
// coordinates of the parts' vectors, gives its weights. M. Gu and S. Eisenstat, "A divide-and-conquer algorithm for the
// bidiagonal SVD", SIAM J. Matrix Anal. Appl. 16 (1995).
#pragma once

#include "stdlib/decompositions/dense.hpp"

namespace covec::kernels {

// d (n) becomes the singular values, none negative, in no order, the rows of the n × n matrices ut and vt their
// vectors; e (n − 1) is what is right of d. False where it does not converge.
template <class T>
bool bidiagonal_divide_and_conquer(ops::Context& context, T* d, const T* e, Dense<T> ut, Dense<T> vt);

}  // namespace covec::kernels
