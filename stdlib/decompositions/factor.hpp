// Factorizes dense matrices by divide and conquer, so that nearly all work is matrix products. Those have their own
// order and kernels (gemm.hpp); the rest is plain loops built once. The bits are the same on every processor.
//
// Why not Eigen: decompose.hpp says it. Milliseconds of CPU time in f64, n = 500 and 1000, as there:
//   factor_lu       1.4, 8    PartialPivLU 8.4, 58
//   factor_cholesky 2, 10     LLT 4, 30
#pragma once

#include <cstdint>

#include "stdlib/decompositions/dense.hpp"

namespace covec::kernels {

// A, of any height and width, with its rows in another order is L·U, in place: L below the diagonal, with ones on it, U
// from there on. The row of largest magnitude is the pivot. order[i] is where row i was. Gives the order's sign, or 0
// where a pivot is 0.
template <class T>
int factor_lu(ops::Context& context, Dense<T> a, int64_t* order);

// A = L·Lᵀ in place, of the lower triangle; the upper one becomes 0. False where A is not positive definite.
template <class T>
bool factor_cholesky(ops::Context& context, Dense<T> a);

enum class Triangle : uint8_t { lower, unit_lower, upper };

// X with T·X = B, in place of B. A zero on the diagonal divides.
template <class T>
void solve_triangle(ops::Context& context, Dense<T> t, Triangle triangle, Dense<T> b);

}  // namespace covec::kernels
