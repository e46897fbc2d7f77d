// Eigen's orders of columns. Eigen's memory is not the session's: as much is taken from the pool by those who call.
#include <Eigen/Sparse>
#include <algorithm>
#include <new>

#include "stdlib/sparse/factor.hpp"

namespace covec::sparse {

namespace {

// Half as wide indices are quicker. Eigen's work arrays have a few times as many numbers as there are nonzeros and
// columns.
constexpr int64_t few = int64_t{1} << 27;  // nonzeros and columns whose arrays 32 bits count; with room for that factor

template <class Index>
using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, Index>;
template <class Index>
using Permutation = Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, Index>;

template <class Index>
Matrix<Index> ones_at(const Pattern& pattern) {
  const auto index = [](int64_t count) { return static_cast<Eigen::Index>(size_for<double>(count)); };
  Matrix<Index> matrix(index(pattern.columns), index(pattern.rows));
  matrix.resizeNonZeros(index(pattern.count));
  std::copy_n(pattern.starts, pattern.rows + 1, matrix.outerIndexPtr());
  std::copy_n(pattern.indices, pattern.count, matrix.innerIndexPtr());
  std::fill_n(matrix.valuePtr(), pattern.count, 1.0);
  return matrix;
}

template <class Index>
void symmetric_order(const Pattern& pattern, int64_t* order) {
  Permutation<Index> permutation;
  const Matrix<Index> matrix = ones_at<Index>(pattern);
  Eigen::AMDOrdering<Index>()(matrix.template selfadjointView<Eigen::Lower>(), permutation);
  std::copy_n(permutation.indices().data(), pattern.rows, order);
}

// COLAMD gives the place of each column.
template <class Index>
void columns_order(const Pattern& by_columns, int64_t* order) {
  Permutation<Index> permutation;
  Eigen::COLAMDOrdering<Index>()(ones_at<Index>(by_columns), permutation);
  const auto columns = static_cast<Eigen::Index>(by_columns.rows);
  for (Eigen::Index column = 0; column < columns; ++column) order[permutation.indices()[column]] = column;
}

}  // namespace

void order_symmetric(const Pattern& pattern, int64_t* order) {
  pattern.count + pattern.rows < few ? symmetric_order<int32_t>(pattern, order)
                                     : symmetric_order<int64_t>(pattern, order);
}

void order_columns(const Pattern& by_columns, int64_t* order) {
  by_columns.count + by_columns.rows < few ? columns_order<int32_t>(by_columns, order)
                                           : columns_order<int64_t>(by_columns, order);
}

}  // namespace covec::sparse
