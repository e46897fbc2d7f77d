#include "stdlib/kernels/decompose.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>

namespace covec::kernels {

namespace {

template <class T>
using Columns = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using Rows = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
template <class T>
using ConstRows = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
template <class T>
using Vector = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>>;

// Eigen's blocked methods fall short on small matrices of size 0.
bool is_empty(int64_t m, int64_t n) { return m == 0 || n == 0; }

template <class T>
void set_identity(T* a, int64_t n) {
  Rows<T>(a, n, n).setIdentity();
}

}  // namespace

template <class T>
void decompose_qr(const T* a, int64_t m, int64_t n, bool complete, T* q, T* r) {
  const int64_t k = complete ? m : std::min(m, n);
  if (is_empty(m, n)) {
    if (complete) set_identity(q, m);
    return;
  }
  const Eigen::HouseholderQR<Columns<T>> qr{Columns<T>(ConstRows<T>(a, m, n))};
  Rows<T>(q, m, k) = qr.householderQ() * Columns<T>::Identity(m, k);
  Rows<T>(r, k, n) = qr.matrixQR().topRows(k).template triangularView<Eigen::Upper>();
}

template <class T>
bool decompose_svd(const T* a, int64_t m, int64_t n, bool full, T* u, T* s, T* vt) {
  const int64_t k = std::min(m, n);
  if (is_empty(m, n)) {
    if (full) set_identity(u, m), set_identity(vt, n);
    return true;
  }
  const Columns<T> matrix{ConstRows<T>(a, m, n)};
  if (!matrix.allFinite()) return false;
  const unsigned wanted = full ? Eigen::ComputeFullU | Eigen::ComputeFullV : Eigen::ComputeThinU | Eigen::ComputeThinV;
  const Eigen::BDCSVD<Columns<T>> svd(matrix, wanted);
  if (svd.info() != Eigen::Success) return false;
  Rows<T>(u, m, full ? m : k) = svd.matrixU();
  Vector<T>(s, k) = svd.singularValues();
  Rows<T>(vt, full ? n : k, n) = svd.matrixV().transpose();
  return true;
}

template <class T>
bool decompose_eigh(const T* a, int64_t n, T* w, T* v) {
  if (n == 0) return true;
  const Columns<T> matrix{ConstRows<T>(a, n, n)};
  if (!matrix.allFinite()) return false;
  const Eigen::SelfAdjointEigenSolver<Columns<T>> eigen(matrix);
  if (eigen.info() != Eigen::Success) return false;
  Vector<T>(w, n) = eigen.eigenvalues();
  Rows<T>(v, n, n) = eigen.eigenvectors();
  return true;
}

template void decompose_qr(const float*, int64_t, int64_t, bool, float*, float*);
template void decompose_qr(const double*, int64_t, int64_t, bool, double*, double*);
template bool decompose_svd(const float*, int64_t, int64_t, bool, float*, float*, float*);
template bool decompose_svd(const double*, int64_t, int64_t, bool, double*, double*, double*);
template bool decompose_eigh(const float*, int64_t, float*, float*);
template bool decompose_eigh(const double*, int64_t, double*, double*);

}  // namespace covec::kernels
