// Factorizes complex matrices by Householder reflectors (G. Golub and C. Van Loan, "Matrix Computations", chapters 5
// and 8), compiled once, without vectors. The condensed forms are real, and the kernels of real matrices find their
// values (tridiagonal.hpp, bidiagonal.hpp). Columns are taken one at a time: this is plain, and quick enough up to some
// hundred rows. Each column checks for an interrupt (OpError). Start at complex_eigh.
//
// Eigen 3.4, built the same way, has no vectors either, and is quicker on most sizes. It is not used because results
// would change in their last bits. Milliseconds of CPU time in f64, n = 100, 500 and 1000, medians of three runs on one
// thread of an AMD EPYC:
//   complex_eigh 3.1, 339, 3480   SelfAdjointEigenSolver 1.8, 181, 1580
//   complex_svd  5.2, 565, 6100   BDCSVD 6.8, 468, 3650
#pragma once

#include "stdlib/value/context.hpp"

namespace covec::kernels {

// A matrix by its parts, row-major.
template <class T>
struct ComplexParts {
  const T *re, *im;
  int64_t rows, columns;
};
template <class T>
struct ComplexTarget {
  T *re, *im;
};

// The determinant as a number of magnitude 1 (0 where it is 0), the logarithm of its magnitude, and itself.
template <class T>
struct ComplexDeterminant {
  T sign_re, sign_im, logarithm, re, im;
};
template <class T>
ComplexDeterminant<T> complex_determinant(ops::Context& context, ComplexParts<T> a);

// A, of any height and width, with its rows in another order is L·U: `factors` has L below the diagonal, with ones on
// it, U from there on. The pivot is the element whose parts have the largest sum of magnitudes (the first of equals).
// order[i] is where row i was.
template <class T>
void complex_lu(ops::Context& context, ComplexParts<T> a, ComplexTarget<T> factors, int64_t* order);

// A = Q·R with k = min(m, n), or m where `complete`: rows of Qᵀ (k × m), and R (k × n), whose diagonal is real.
template <class T>
void complex_qr(ops::Context& context, ComplexParts<T> a, bool complete, ComplexTarget<T> qt, ComplexTarget<T> r);

// A = U·diag(s)·Vᴴ with k = min(m, n), s descending: rows of Uᵀ (k × m), and Vᴴ (k × n). The largest element of each
// column of U (the first of equals) is real and positive. False where it does not converge (or A is not finite).
template <class T>
bool complex_svd(ops::Context& context, ComplexParts<T> a, ComplexTarget<T> ut, T* s, ComplexTarget<T> vh);

// A·V = V·diag(w) for a Hermitian A, of which the lower triangle is read; w ascending, rows of Vᵀ as those of Uᵀ above.
template <class T>
bool complex_eigh(ops::Context& context, ComplexParts<T> a, T* w, ComplexTarget<T> vt);

}  // namespace covec::kernels
