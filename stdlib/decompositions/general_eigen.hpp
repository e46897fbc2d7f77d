// Computes eigenvalues, eigenvectors and the Schur form of any square matrix with Eigen. It is one build without
// vectors for all processors, so the bits are the same everywhere. It checks for an interrupt (OpError). Why Eigen and
// not LAPACK: systems have different LAPACKs with different bits, while Eigen is headers only. The trade-off: Eigen's
// QR iteration works on single columns, which is slower than LAPACK's on large matrices. Start at decompose_eigen.
#pragma once

#include "stdlib/value/context.hpp"

namespace covec::kernels {

// A square matrix, row-major; `im` is null where it is real.
template <class T>
struct SquareParts {
  const T* re;
  const T* im;
  int64_t n;
};

// Row j of `to`: the real and the imaginary part of eigenvalue j, in the order of Schur's form, and where `vectors` the
// real parts of its eigenvector's elements and their imaginary parts. So it has 2 or 2 + 2·n numbers. A vector has norm
// 1, and its largest element (the first of equals) is real and positive. Of a real matrix both values of a conjugate
// pair have the same bits, the one with the positive imaginary part first. False where it does not converge, or the
// matrix is not finite.
template <class T>
bool decompose_eigen(ops::Context& context, SquareParts<T> a, bool vectors, T* to);

// A = Z·T·Zᴴ with a unitary Z: of a real matrix T has blocks of 2 × 2 for conjugate pairs. `im` of the results is null
// where it is real. False as above.
template <class T>
struct SchurParts {
  T *t_re, *t_im, *z_re, *z_im;
};
template <class T>
bool decompose_schur(ops::Context& context, SquareParts<T> a, const SchurParts<T>& to);

}  // namespace covec::kernels
