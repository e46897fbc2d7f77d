#include "stdlib/decompositions/by_eigen.hpp"

namespace covec::kernels {

namespace {

// What RealSchur works on. It takes a block for each reflector that it applies, and there an interrupt is looked for.
template <class T>
class Watched : public Columns<T> {
 public:
  using Base = Columns<T>;
  using Base::Base;
  using Base::operator=;
  ops::Context* context = nullptr;

  template <int rows, int columns>
  auto block(Index i, Index j) {
    return Base::template block<rows, columns>(i, j);
  }
  template <class Height, class Width>
  auto block(Index i, Index j, Height rows, Width columns) {
    look(static_cast<int64_t>(rows) * static_cast<int64_t>(columns));
    return Base::block(i, j, rows, columns);
  }

 private:
  void look(int64_t numbers) {
    work_ += numbers;
    if (work_ < work_between_polls || context == nullptr) return;
    work_ = 0;
    poll_interrupt(*context);
  }
  int64_t work_ = 0;
};

// A real matrix with the context of its session, for the specialization of RealSchur below.
template <class T>
class InSession : public Columns<T> {
 public:
  using Columns<T>::Columns;
  using Columns<T>::operator=;
  ops::Context* context = nullptr;
};

}  // namespace

}  // namespace covec::kernels

// EigenSolver's way to Schur's form: with looks for an interrupt, and without a division of the matrix by its largest
// element, which rounds every other one (the matrix was scaled by a power of two before).
namespace Eigen {

namespace internal {
template <class T>
struct traits<covec::kernels::Watched<T>> : traits<covec::kernels::Columns<T>> {};
}  // namespace internal

template <class T>
class RealSchur<covec::kernels::InSession<T>> {
 public:
  explicit RealSchur(Index) {}

  template <class Input>
  RealSchur& compute(const EigenBase<Input>& matrix, bool vectors) {
    const auto& a = static_cast<const covec::kernels::InSession<T>&>(matrix.derived());
    HessenbergDecomposition<covec::kernels::Columns<T>> hessenberg(a);
    covec::kernels::Watched<T> h;
    h = hessenberg.matrixH();
    h.context = a.context;
    covec::kernels::Columns<T> q;
    if (vectors) q = hessenberg.matrixQ();
    schur_.computeFromHessenberg(h, q, vectors);
    return *this;
  }
  ComputationInfo info() const { return schur_.info(); }
  const covec::kernels::Columns<T>& matrixT() const { return schur_.matrixT(); }
  const covec::kernels::Columns<T>& matrixU() const { return schur_.matrixU(); }

 private:
  RealSchur<covec::kernels::Watched<T>> schur_{1};
};

}  // namespace Eigen

namespace covec::kernels {

namespace {

// --- real matrices ---

template <class T>
bool eigen_of_real(ops::Context& context, SquareParts<T> given, bool vectors, T* to) {
  const auto n = static_cast<Index>(given.n);  // for whose squares memory has been reserved
  const int64_t width = vectors ? 2 + 2 * given.n : 2;
  InSession<T> a;
  a = ConstRows<T>(given.re, n, n);
  a.context = &context;
  const int exponent = scale_exponent(given);
  scale_by_power(a, -exponent);
  const std::vector<int> exponents = balance<T>(context, a);
  Eigen::EigenSolver<InSession<T>> solver(n);
  solver.compute(a, vectors);
  if (solver.info() != Eigen::Success) return false;
  for (Index j = 0; j < n; ++j) {
    const std::complex<T> value = times_power(solver.eigenvalues()(j), exponent);
    to[j * width] = value.real();
    to[j * width + 1] = value.imag();
  }
  if (!vectors) return true;
  const Columns<T>& columns = solver.pseudoEigenvectors();
  std::vector<std::complex<T>> v(size_for<std::complex<T>>(n));
  for (Index j = 0; j < n; ++j) {
    T* const re = to + j * width + 2;
    const bool pair = to[j * width + 1] > T(0);
    for (Index i = 0; i < n; ++i) v[static_cast<size_t>(i)] = {columns(i, j), pair ? columns(i, j + 1) : T(0)};
    put_vector(v, exponents, re, re + n);
    if (!pair) continue;
    ++j;
    std::copy_n(re, n, re + width);
    std::transform(re + n, re + 2 * n, re + width + n, [](T x) { return T(0) - x; });
  }
  return true;
}

template <class T>
bool schur_of_real(ops::Context& context, SquareParts<T> given, const SchurParts<T>& to) {
  const auto n = static_cast<Index>(given.n);
  InSession<T> a;
  a = ConstRows<T>(given.re, n, n);
  a.context = &context;
  const int exponent = scale_exponent(given);
  scale_by_power<T>(a, -exponent);
  Eigen::RealSchur<InSession<T>> schur(n);
  if (schur.compute(a, true).info() != Eigen::Success) return false;
  Columns<T> t = schur.matrixT();
  scale_by_power(t, exponent);
  Rows<T>(to.t_re, n, n) = t;
  Rows<T>(to.z_re, n, n) = schur.matrixU();
  return true;
}

}  // namespace

template <class T>
bool decompose_eigen(ops::Context& context, SquareParts<T> a, bool vectors, T* to) {
  if (!is_finite(a)) return false;
  if (a.n == 0) return true;
  const Scratch reserved = reserve_squares<T>(context, a.n, a.im == nullptr ? 8 : 12);
  return a.im == nullptr ? eigen_of_real(context, a, vectors, to) : eigen_of_complex(context, a, vectors, to);
}

template <class T>
bool decompose_schur(ops::Context& context, SquareParts<T> a, const SchurParts<T>& to) {
  if (!is_finite(a)) return false;
  if (a.n == 0) return true;
  const Scratch reserved = reserve_squares<T>(context, a.n, a.im == nullptr ? 8 : 12);
  return a.im == nullptr ? schur_of_real(context, a, to) : schur_of_complex(context, a, to);
}

#define COVEC_FOR(T)                                                      \
  template bool decompose_eigen(ops::Context&, SquareParts<T>, bool, T*); \
  template bool decompose_schur(ops::Context&, SquareParts<T>, const SchurParts<T>&);
COVEC_FOR(float)
COVEC_FOR(double)
#undef COVEC_FOR

}  // namespace covec::kernels
