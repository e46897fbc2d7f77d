// Orthogonal decompositions of dense row-major matrices. Householder reflectors reduce a matrix to a condensed form,
// and plane rotations go on from there. Blocks that no element connects are decomposed apart, each in its own scale.
// There is one build for all processors. Every step checks for an interrupt (OpError). Start at decompose_svd.
//
// Why not Eigen: its bits are the same on all processors only without vectors (by_eigen.hpp), and then it is 3 to 9
// times slower. Nearly all work here is matrix products, whose kernels use vectors and have the same bits everywhere
// (gemm.hpp). Eigen checks for no interrupt, and its memory is not the session's. Milliseconds of CPU time in f64, n =
// 100, 500 and 1000, medians of five runs on an AMD EPYC, here by the builtins; two threads take as much of it as one:
//   decompose_eigh 0.4, 15, 94    SelfAdjointEigenSolver of Eigen 3.4 1.1, 112, 878
//   decompose_svd  0.6, 29, 190   BDCSVD 3.5, 162, 1023
//   decompose_qr   0.1, 7, 43     HouseholderQR and its Q 0.5, 36, 260
#pragma once

#include "stdlib/value/context.hpp"

namespace covec::kernels {

// A = Q·R: k rows of Qᵀ (k × m) and R (k × n), where k is min(m, n), or m where `complete`.
template <class T>
void decompose_qr(ops::Context& context, const T* a, int64_t m, int64_t n, bool complete, T* qt, T* r);

// A = U·diag(s)·Vᵀ, s descending: Uᵀ is k × m, Vᵀ k × n with k = min(m, n); m × m and n × n where `full`. False where
// it does not converge (or A is not finite).
template <class T>
bool decompose_svd(ops::Context& context, const T* a, int64_t m, int64_t n, bool full, T* ut, T* s, T* vt);

// A·V = V·diag(w) for a symmetric A, w ascending. False as above.
template <class T>
bool decompose_eigh(ops::Context& context, const T* a, int64_t n, T* w, T* vt);

}  // namespace covec::kernels
