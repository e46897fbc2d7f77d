// Eigen's orders of columns. Eigen's memory is not the session's: as much is taken from the pool by those who call.
#include <Eigen/Sparse>
#include <algorithm>
#include <new>

#include "stdlib/sparse/factor.hpp"

namespace covec::sparse {

namespace {

using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int64_t>;
using Permutation = Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int64_t>;

Matrix ones_at(const Pattern& pattern) {
  Matrix matrix(pattern.columns, pattern.rows);
  matrix.resizeNonZeros(pattern.count);
  std::copy_n(pattern.starts, pattern.rows + 1, matrix.outerIndexPtr());
  std::copy_n(pattern.indices, pattern.count, matrix.innerIndexPtr());
  std::fill_n(matrix.valuePtr(), pattern.count, 1.0);
  return matrix;
}

}  // namespace

void order_symmetric(const Pattern& pattern, int64_t* order) {
  Permutation permutation;
  Eigen::AMDOrdering<int64_t>()(ones_at(pattern), permutation);
  std::copy_n(permutation.indices().data(), pattern.rows, order);
}

// COLAMD gives the place of each column.
void order_columns(const Pattern& by_columns, int64_t* order) {
  Permutation permutation;
  Eigen::COLAMDOrdering<int64_t>()(ones_at(by_columns), permutation);
  for (int64_t column = 0; column < by_columns.rows; ++column) order[permutation.indices()[column]] = column;
}

}  // namespace covec::sparse
