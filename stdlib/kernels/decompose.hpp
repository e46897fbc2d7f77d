// Orthogonal decompositions of dense row-major matrices, by Eigen. One build for all processors.
#pragma once

#include <cstdint>

namespace covec::kernels {

// A = Q·R with Q m × q and R q × n: q is min(m, n), or m where `complete`.
template <class T>
void decompose_qr(const T* a, int64_t m, int64_t n, bool complete, T* q, T* r);

// A = U·diag(s)·Vᵀ, s descending: U is m × k, Vᵀ k × n with k = min(m, n); m × m and n × n where `full`. False where it
// does not converge (or A is not finite).
template <class T>
bool decompose_svd(const T* a, int64_t m, int64_t n, bool full, T* u, T* s, T* vt);

// A·V = V·diag(w) for symmetric A (of which the lower triangle is read), w ascending. False as above.
template <class T>
bool decompose_eigh(const T* a, int64_t n, T* w, T* v);

}  // namespace covec::kernels
