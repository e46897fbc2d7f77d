// The incomplete LU factorization without additions (Meijerink and van der Vorst, 1977): L and U have the nonzeros of
// the matrix, L with ones on its diagonal. It is no factorization of the matrix but near to one, which solvers by
// products use as a preconditioner.
#pragma once

#include <cstdint>

#include "stdlib/sparse/csr.hpp"

namespace covec::sparse {

// In place of the values of a sound, square pattern; the first row whose pivot is 0 or is not in the pattern, −1: none.
int64_t factor_incomplete(ops::Context& context, const Pattern& pattern, double* values);
// x with L U x = b in place of b, or with (L U)ᵀ x = b. Each row has an element on its diagonal.
void solve_incomplete(const Pattern& pattern, const double* values, double* x, bool transposed);
// Whether each row has one.
bool has_diagonal(const Pattern& pattern);

}  // namespace covec::sparse
