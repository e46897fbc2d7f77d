// Reduces symmetric matrices to tridiagonal form, and finds the eigenvalues of that by the implicit QL method (G. Golub
// and C. Van Loan, "Matrix Computations", chapter 8). The reduction takes a block of columns at a time, as in J.
// Dongarra, S. Hammarling and D. Sorensen, "Block reduction of matrices to condensed forms for eigenvalue
// computations", J. Comput. Appl. Math. 27 (1989). Half of the reduction is matrix products; Eigen's Tridiagonalization
// takes one column at a time, and without vectors: decompose.hpp compares.
#pragma once

#include "stdlib/decompositions/dense.hpp"

namespace covec::kernels {

// A = Q·B·Qᵀ of a symmetric n × n matrix that is lost, and of which what is left of the diagonal is not read: the
// diagonal of B into d (n), what is beside it into e (n − 1). The reflectors of Q have offset 1: v is n − 1 × n and 0.
template <class T>
void reduce_to_tridiagonal(ops::Context& context, Dense<T> a, T* d, T* e, Dense<T> v, T* tau);

// Eigenvalues into d, in no order, and the rows of qt rotated with them. False where it does not converge.
template <class T>
bool tridiagonal_eigenvalues(ops::Context& context, T* d, T* e, Dense<T> qt);

// Behind the last of the n elements from `first` on that belong together; what joins it to the next becomes 0.
template <class T>
int64_t end_of_undivided(const T* d, T* e, int64_t first, int64_t n);

}  // namespace covec::kernels
