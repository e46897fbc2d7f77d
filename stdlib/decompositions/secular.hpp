// Finds roots of secular equations, which combine the decompositions of the two parts in divide and conquer.
// Eigenvalues of diag(d) + ρ·z·zᵀ are the roots λ of 1/ρ + Σ z²/(d − λ). Singular values of (z; diag(d)) are the roots
// σ of 1 + Σ z²/(d² − σ²). Everything is in f64, whatever the dtype of the matrix.
//
// R.-C. Li, "Solving secular equations stably and efficiently", LAPACK working note 89 (1993); M. Gu and S. Eisenstat,
// "A divide-and-conquer algorithm for the symmetric tridiagonal eigenproblem" and "… for the bidiagonal SVD", SIAM J.
// Matrix Anal. Appl. 16 (1995).
#pragma once

#include <cstdint>
#include <vector>

#include "stdlib/decompositions/dense.hpp"

namespace covec::kernels {

struct Secular {
  std::vector<double> poles, weights;  // d, ascending, no two equal; z, none 0
  double constant = 1;                 // 1/ρ > 0
  bool squared = false;                // singular values
  int64_t size() const { return static_cast<int64_t>(poles.size()); }
};

// The roots, ascending, one between each pole and the next. Row i of `differences` becomes those of the poles from root
// i, each with a small relative error: d − λ, or d² − σ². False where a root was not found, which no numbers should do.
bool secular_roots(ops::Context& context, const Secular& equation, double* roots, Dense<double> differences);

// Weights for which the roots as they were computed are exact: vectors made of these are orthogonal.
std::vector<double> exact_weights(ops::Context& context, const Secular& equation, Dense<double> differences);

}  // namespace covec::kernels
