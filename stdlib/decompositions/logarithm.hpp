// Computes the principal logarithm of one square matrix in f64, by inverse scaling and squaring on its complex Schur
// form (A. Al-Mohy and N. Higham, "Improved inverse scaling and squaring algorithms for the matrix logarithm", 2012).
// Derivatives need the logarithm of [[A, E], [0, A]], whose eigenvalues are all double. For it the Schur form is taken
// of A alone, so that no eigenvalue moves to the other side of the negative axis. Start at logarithm().
#pragma once

#include "stdlib/value/context.hpp"

namespace covec::ops {

enum class LogarithmOutcome { found, singular, no_decomposition };

// A matrix of n × n blocks, each of size × size numbers, row-major: the same block stands along its diagonal and zeros
// below it. A matrix that is real is taken by its real Schur form: its result is real if it has no negative eigenvalue,
// else the imaginary part of a logarithm of such is π.
struct LogarithmInput {
  int64_t size, blocks;
  const double *re, *im;
};
LogarithmOutcome logarithm(Context& context, const LogarithmInput& a, double* re, double* im);

}  // namespace covec::ops
