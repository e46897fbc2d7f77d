// What kernels built on the library Eigen share: its matrices, memory for them, scaling by powers of two, and
// eigenvectors normalized as promised. Only sources compiled with its flags (kernels.cmake) may include this.
#pragma once

#include <Eigen/Jacobi>
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "stdlib/decompositions/complex_numbers.hpp"
#include "stdlib/decompositions/dense.hpp"
#include "stdlib/decompositions/general_eigen.hpp"
#include "stdlib/kernels/parallel.hpp"

namespace covec::kernels {

// c = |p|/u, s = −conj(p/|p|)·q/u and r = (p/|p|)·u with u² = |p|² + |q|²: Eigen's rotation, whose adjoint brings
// (p, q) to (r, 0).
template <class T>
struct ComplexRotation {
  std::complex<T> c, s, r;
  ComplexRotation(std::complex<T> p, std::complex<T> q) {
    const T of_p = length(p), of_q = length(q), sign = p.real() < 0 ? T(-1) : T(1);
    if (of_q == 0) {
      c = sign, s = T(0), r = sign * p;
    } else if (of_p == 0) {
      c = T(0), s = -q / of_q, r = of_q;
    } else {
      const T u = sign * length(of_p, of_q);
      const std::complex<T> way = p / of_p;
      c = of_p / u, s = -(std::conj(way) * (q / u)), r = way * u;
    }
  }
};

}  // namespace covec::kernels

// What Eigen would take of the standard library's complex numbers. It must stand before Eigen's decompositions.
namespace Eigen {

#define COVEC_FOR(T)                                                                                          \
  inline std::complex<T> sqrt(const std::complex<T>& z) { return covec::kernels::square_root(z); }            \
  template <>                                                                                                 \
  struct internal::scalar_abs_op<std::complex<T>> {                                                           \
    using result_type = T;                                                                                    \
    T operator()(const std::complex<T>& z) const { return covec::kernels::length(z); }                        \
  };                                                                                                          \
  template <>                                                                                                 \
  inline void JacobiRotation<std::complex<T>>::makeGivens(const std::complex<T>& p, const std::complex<T>& q, \
                                                          std::complex<T>* r, internal::true_type) {          \
    const covec::kernels::ComplexRotation<T> made(p, q);                                                      \
    m_c = made.c, m_s = made.s;                                                                               \
    if (r != nullptr) *r = made.r;                                                                            \
  }
COVEC_FOR(float)
COVEC_FOR(double)
#undef COVEC_FOR

}  // namespace Eigen

#include <Eigen/Eigenvalues>

namespace covec::kernels {

using Eigen::Index;

template <class S>
using Columns = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;  // Eigen's order: by columns
template <class S>
using Rows = Eigen::Map<Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
template <class S>
using ConstRows = Eigen::Map<const Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

inline constexpr int64_t work_between_polls = int64_t{1} << 22;  // numbers that are changed

// Eigen's own memory is not the session's: while it is used, as much of the pool is taken, which counts.
template <class S>
Scratch reserve_squares(ops::Context& context, int64_t n, int64_t count) {
  return Scratch(*context.pool, static_cast<uint64_t>(count * n * n) * sizeof(S));
}

template <class T>
bool is_finite(SquareParts<T> a) {
  const int64_t elements = a.n * a.n;
  return std::isfinite(largest_magnitude(a.re, elements)) &&
         (a.im == nullptr || std::isfinite(largest_magnitude(a.im, elements)));
}

// --- scaling by powers of two, which is exact ---

// An exponent e so that products of elements times 2^−e stay in range; 0 where they do already.
template <class T>
int scale_exponent(SquareParts<T> a) {
  // Exponent of 2: squares stay far inside f32 (2^127) and f64 (2^1023).
  constexpr int comfortable = sizeof(T) == 4 ? 20 : 200;
  T largest = largest_magnitude(a.re, a.n * a.n);
  if (a.im != nullptr) largest = std::max(largest, largest_magnitude(a.im, a.n * a.n));
  int exponent = 0;
  if (largest > T(0)) std::frexp(largest, &exponent);
  return std::abs(exponent) > comfortable ? exponent : 0;
}

template <class T>
T times_power(T x, int exponent) {
  return std::ldexp(x, exponent);
}
template <class T>
std::complex<T> times_power(std::complex<T> x, int exponent) {
  return {std::ldexp(x.real(), exponent), std::ldexp(x.imag(), exponent)};
}

template <class S>
void scale_by_power(Columns<S>& a, int exponent) {
  if (exponent == 0) return;
  for (Index i = 0; i < a.size(); ++i) a.data()[i] = times_power(a.data()[i], exponent);
}

template <class T>
T size_of_element(T x) {
  return std::abs(x);
}
template <class T>
T size_of_element(std::complex<T> x) {
  return std::abs(x.real()) + std::abs(x.imag());
}

// Rows and columns alike in size, B = D⁻¹·A·D (B. Parlett and C. Reinsch, "Balancing a matrix for calculation of
// eigenvalues and eigenvectors", 1969): gives the exponents of D.
template <class S>
std::vector<int> balance(ops::Context& context, Columns<S>& a) {
  using T = typename Eigen::NumTraits<S>::Real;
  const Index n = a.rows();
  std::vector<int> exponents(size_for<int>(n));
  constexpr int max_sweeps = 30;  // a bound on sweeps over all rows
  bool changes = true;
  for (int sweep = 0; sweep < max_sweeps && changes; ++sweep) {
    changes = false;
    poll_interrupt(context);
    for (Index i = 0; i < n; ++i) {
      T column = 0, row = 0;
      for (Index j = 0; j < n; ++j) {
        if (j == i) continue;
        column += size_of_element(a(j, i));
        row += size_of_element(a(i, j));
      }
      if (column == T(0) || row == T(0)) continue;
      const int by = (std::ilogb(row) - std::ilogb(column)) / 2;
      constexpr T worth = T(0.95);
      if (by == 0 || std::ldexp(column, by) + std::ldexp(row, -by) >= worth * (column + row)) continue;
      for (Index j = 0; j < n; ++j) {
        if (j == i) continue;
        a(j, i) = times_power(a(j, i), by);
        a(i, j) = times_power(a(i, j), -by);
      }
      exponents[static_cast<size_t>(i)] += by;
      changes = true;
    }
  }
  return exponents;
}

// --- eigenvectors as they are promised ---

template <class T>
T square(std::complex<T> x) {
  return x.real() * x.real() + x.imag() * x.imag();
}

// Norm 1, the largest element real and positive. `v` is changed on the way.
template <class T>
void put_vector(std::vector<std::complex<T>>& v, const std::vector<int>& exponents, T* re, T* im) {
  const size_t n = v.size();
  int largest_exponent = std::numeric_limits<int>::min();
  for (size_t i = 0; i < n; ++i) {
    const T size = size_of_element(v[i]);
    if (size > T(0)) largest_exponent = std::max(largest_exponent, std::ilogb(size) + exponents[i]);
  }
  for (size_t i = 0; i < n; ++i) v[i] = times_power(v[i], exponents[i] - largest_exponent);
  size_t at = 0;
  T sum = 0;
  for (size_t i = 0; i < n; ++i) {
    sum += square(v[i]);
    if (square(v[i]) > square(v[at])) at = i;
  }
  const T norm = std::sqrt(sum), size = std::sqrt(square(v[at]));
  const T c = v[at].real() / size, s = v[at].imag() / size;
  for (size_t i = 0; i < n; ++i) {
    re[i] = (v[i].real() * c + v[i].imag() * s) / norm + T(0);  // + 0: no −0
    im[i] = (v[i].imag() * c - v[i].real() * s) / norm + T(0);
  }
  re[at] = size / norm;
  im[at] = T(0);
}

// Of complex matrices; those of real ones are in general_eigen.cpp.
template <class T>
bool eigen_of_complex(ops::Context& context, SquareParts<T> given, bool vectors, T* to);
template <class T>
bool schur_of_complex(ops::Context& context, SquareParts<T> given, const SchurParts<T>& to);

}  // namespace covec::kernels
