// Eigen's own LDLT, for sparse_peer.py: the same order of columns and flags as stdlib/sparse.
#include <Eigen/SparseCholesky>

extern "C" double factor_ldlt(int n, int count, const int* starts, const int* indices, const double* values) {
  const Eigen::Map<const Eigen::SparseMatrix<double>> matrix(n, n, count, starts, indices, values);
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Lower, Eigen::AMDOrdering<int>> factor(matrix);
  return factor.vectorD().minCoeff();
}
