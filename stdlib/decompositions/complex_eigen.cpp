// Computes eigenvalues, eigenvectors and the Schur form of complex matrices.
#include "stdlib/decompositions/by_eigen.hpp"

namespace covec::kernels {

namespace {

template <class T>
Columns<std::complex<T>> joined(SquareParts<T> a) {
  const auto n = static_cast<Index>(a.n);
  Columns<std::complex<T>> result(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) result(i, j) = {a.re[i * a.n + j], a.im[i * a.n + j]};
  }
  return result;
}

template <class T>
void put_parts(const Columns<std::complex<T>>& a, T* re, T* im) {
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) {
      *re++ = a(i, j).real();
      *im++ = a(i, j).imag();
    }
  }
}

// A = U·T·Uᴴ. ComplexSchur keeps no state but T and U: it is run a few iterations at a time.
template <class T>
class ComplexForm {
 public:
  using C = std::complex<T>;

  bool find(ops::Context& context, const Columns<C>& a, bool vectors) {
    const Index n = a.rows();
    poll_interrupt(context);
    const Eigen::HessenbergDecomposition<Columns<C>> hessenberg(a);
    const Columns<C> h = hessenberg.matrixH();
    Columns<C> q;
    if (vectors) q = hessenberg.matrixQ();
    const Index at_once = std::max<Index>(40, work_between_polls / std::max<Index>(1, n * n));
    schur_.setMaxIterations(at_once);
    schur_.computeFromHessenberg(h, q, vectors);
    for (Index done = at_once; schur_.info() != Eigen::Success; done += at_once) {
      if (done >= max_iterations_per_row * n) return false;
      poll_interrupt(context);
      schur_.computeFromHessenberg(schur_.matrixT(), u(vectors, q), vectors);
    }
    return true;
  }
  const Columns<C>& t() const { return schur_.matrixT(); }
  const Columns<C>& u() const { return schur_.matrixU(); }

 private:
  static constexpr Index max_iterations_per_row = 30;
  const Columns<C>& u(bool vectors, const Columns<C>& none) const { return vectors ? schur_.matrixU() : none; }
  Eigen::ComplexSchur<Columns<C>> schur_{1};
};

// x with T·x = t_kk·x and x_k = 1: by substitution, as ComplexEigenSolver has it; kept in range.
template <class T>
void vector_of_triangle(const Columns<std::complex<T>>& t, Index k, T norm, Columns<std::complex<T>>& x) {
  using C = std::complex<T>;
  constexpr T eps = std::numeric_limits<T>::epsilon();
  const T least = std::max(eps * norm, std::numeric_limits<T>::min());
  x(k) = C(1);
  for (Index i = k - 1; i >= 0; --i) {
    C sum = t(i, k) * x(k);
    for (Index j = i + 1; j < k; ++j) sum += t(i, j) * x(j);
    C gap = t(i, i) - t(k, k);
    if (size_of_element(gap) < least) gap = C(least);
    x(i) = -sum / gap;
    const T size = size_of_element(x(i));
    if ((eps * size) * size > T(1)) x.block(i, 0, k + 1 - i, 1) /= size;
  }
}

}  // namespace

template <class T>
bool eigen_of_complex(ops::Context& context, SquareParts<T> given, bool vectors, T* to) {
  using C = std::complex<T>;
  const auto n = static_cast<Index>(given.n);
  const int64_t width = vectors ? 2 + 2 * given.n : 2;
  Columns<C> a = joined(given);
  const int exponent = scale_exponent(given);
  scale_by_power(a, -exponent);
  const std::vector<int> exponents = balance<C>(context, a);
  ComplexForm<T> form;
  if (!form.find(context, a, vectors)) return false;
  for (Index j = 0; j < n; ++j) {
    const C value = times_power(form.t()(j, j), exponent);
    to[j * width] = value.real();
    to[j * width + 1] = value.imag();
  }
  if (!vectors) return true;
  const T norm = form.t().cwiseAbs().maxCoeff();
  Columns<C> x(n, 1), product(n, 1);
  std::vector<C> v(size_for<C>(n));
  for (Index j = 0; j < n; ++j) {
    poll_interrupt(context);
    vector_of_triangle(form.t(), j, norm, x);
    product.noalias() = form.u().leftCols(j + 1) * x.topRows(j + 1);
    std::copy_n(product.data(), n, v.data());
    put_vector(v, exponents, to + j * width + 2, to + j * width + 2 + n);
  }
  return true;
}

template <class T>
bool schur_of_complex(ops::Context& context, SquareParts<T> given, const SchurParts<T>& to) {
  Columns<std::complex<T>> a = joined(given);
  const int exponent = scale_exponent(given);
  scale_by_power(a, -exponent);
  ComplexForm<T> form;
  if (!form.find(context, a, true)) return false;
  Columns<std::complex<T>> t = form.t();
  scale_by_power(t, exponent);
  put_parts(t, to.t_re, to.t_im);
  put_parts(form.u(), to.z_re, to.z_im);
  return true;
}

#define COVEC_FOR(T)                                                       \
  template bool eigen_of_complex(ops::Context&, SquareParts<T>, bool, T*); \
  template bool schur_of_complex(ops::Context&, SquareParts<T>, const SchurParts<T>&);
COVEC_FOR(float)
COVEC_FOR(double)
#undef COVEC_FOR

}  // namespace covec::kernels
