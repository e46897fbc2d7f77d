#include "stdlib/decompositions/complex_factor.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <vector>

#include "stdlib/decompositions/bidiagonal.hpp"
#include "stdlib/decompositions/dense.hpp"
#include "stdlib/decompositions/tridiagonal.hpp"
#include "stdlib/kernels/elementary.hpp"
#include "stdlib/kernels/parallel.hpp"

namespace covec::kernels {

namespace {

// By columns, zeros at first.
template <class T>
class ComplexColumns {
 public:
  using C = std::complex<T>;
  ComplexColumns(ops::Context& context, int64_t rows, int64_t columns)
      : memory_(*context.pool, static_cast<uint64_t>(rows * columns) * sizeof(C)), rows_(rows), columns_(columns) {
    std::fill_n(column(0), rows * columns, C());
  }
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  C* column(int64_t j) const { return memory_.as<C>() + j * rows_; }
  C& operator()(int64_t i, int64_t j) const { return column(j)[i]; }

 private:
  Scratch memory_;
  int64_t rows_, columns_;
};

template <class T>
T square(std::complex<T> x) {
  return x.real() * x.real() + x.imag() * x.imag();
}
template <class T>
T sum_of_parts(std::complex<T> x) {
  return std::abs(x.real()) + std::abs(x.imag());
}
template <class T>
std::complex<T> times_power(std::complex<T> x, int exponent) {
  return {std::ldexp(x.real(), exponent), std::ldexp(x.imag(), exponent)};
}

// xᴴ·y and y += factor·x.
template <class C>
C inner(const C* x, const C* y, int64_t n) {
  C sum{};
  for (int64_t i = 0; i < n; ++i) sum += std::conj(x[i]) * y[i];
  return sum;
}
template <class C>
void add_times(C* y, C factor, const C* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] += factor * x[i];
}

template <class T>
bool is_finite(ComplexParts<T> a) {
  const int64_t elements = a.rows * a.columns;
  return std::isfinite(largest_magnitude(a.re, elements)) && std::isfinite(largest_magnitude(a.im, elements));
}

// An exponent e so that squares of elements times 2^−e stay in range; 0 where they do already.
template <class T>
int scale_exponent(ComplexParts<T> a) {
  const int64_t elements = a.rows * a.columns;
  // Exponent of 2: squares stay far inside f32 (2^127) and f64 (2^1023).
  constexpr int comfortable = sizeof(T) == 4 ? 20 : 200;
  const T largest = std::max(largest_magnitude(a.re, elements), largest_magnitude(a.im, elements));
  int exponent = 0;
  if (largest > T(0) && std::isfinite(largest)) std::frexp(largest, &exponent);
  return std::abs(exponent) > comfortable ? exponent : 0;
}

// Times 2^−exponent; conjugated and transposed where `adjoint`.
template <class T>
ComplexColumns<T> joined(ops::Context& context, ComplexParts<T> a, int exponent, bool adjoint) {
  ComplexColumns<T> result(context, adjoint ? a.columns : a.rows, adjoint ? a.rows : a.columns);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.columns; ++j) {
      const auto x = times_power(std::complex<T>(a.re[i * a.columns + j], a.im[i * a.columns + j]), -exponent);
      (adjoint ? result(j, i) : result(i, j)) = adjoint ? std::conj(x) : x;
    }
  }
  return result;
}

// Columns as rows of `to`; conjugated where asked.
template <class T>
void put_columns(const ComplexColumns<T>& from, bool conj, ComplexTarget<T> to) {
  for (int64_t i = 0; i < from.rows() * from.columns(); ++i) {
    to.re[i] = from.column(0)[i].real();
    to.im[i] = conj ? -from.column(0)[i].imag() : from.column(0)[i].imag();
  }
}

// H = 1 − τ·v·vᴴ with Hᴴ·x = (beta, 0, …) and a real beta: x becomes v, whose first element is 1.
template <class T>
struct ComplexReflector {
  std::complex<T> tau;
  T beta;
};
template <class T>
ComplexReflector<T> make_reflector(std::complex<T>* x, int64_t n) {
  using C = std::complex<T>;
  const C first = x[0];
  T rest = 0;
  for (int64_t i = 1; i < n; ++i) rest += square(x[i]);
  x[0] = C(1);
  if (rest == T(0) && first.imag() == T(0)) return {C(), first.real()};
  const T beta = -std::copysign(std::sqrt(square(first) + rest), first.real());
  const C by = C(1) / (first - beta);
  for (int64_t i = 1; i < n; ++i) x[i] *= by;
  return {C((beta - first.real()) / beta, -first.imag() / beta), beta};
}

// Reflector t: column t of v, which is 0 before row t + offset and 1 there.
template <class T>
struct ComplexReflectors {
  ComplexColumns<T> v;
  std::vector<std::complex<T>> tau;
  int64_t offset;
  ComplexReflectors(ops::Context& context, int64_t rows, int64_t count, int64_t at)
      : v(context, rows, count), tau(size_for<std::complex<T>>(count)), offset(at) {}
  int64_t length(int64_t t) const { return v.rows() - t - offset; }
  std::complex<T>* vector(int64_t t) const { return v.column(t) + t + offset; }

  // Of the column below row t + offset, which is kept as vector t.
  T make(int64_t t, const std::complex<T>* x) {
    std::copy_n(x, length(t), vector(t));
    const ComplexReflector<T> made = make_reflector(vector(t), length(t));
    tau[static_cast<size_t>(t)] = made.tau;
    return made.beta;
  }
  // x −= factor·v·(vᴴ·x), with x from row t + offset on.
  void apply(int64_t t, std::complex<T> factor, std::complex<T>* x) const {
    add_times(x, -factor * inner(vector(t), x, length(t)), vector(t), length(t));
  }
  // The first `count` columns of H₀·H₁·….
  ComplexColumns<T> product(ops::Context& context, int64_t count) const {
    ComplexColumns<T> q(context, v.rows(), count);
    for (int64_t j = 0; j < count; ++j) q(j, j) = std::complex<T>(1);
    for (int64_t t = v.columns(); t-- > 0;) {
      poll_interrupt(context);
      for (int64_t j = 0; j < count; ++j) apply(t, tau[static_cast<size_t>(t)], q.column(j) + t + offset);
    }
    return q;
  }
};

// --- narrow forms ---

// Hᴴ from the left, of the columns from t + 1 on; gives what the diagonal has then.
template <class T>
T reduce_column(ComplexReflectors<T>& left, const ComplexColumns<T>& a, int64_t t) {
  const T beta = left.make(t, a.column(t) + t);
  for (int64_t j = t + 1; j < a.columns(); ++j)
    left.apply(t, std::conj(left.tau[static_cast<size_t>(t)]), a.column(j) + t);
  return beta;
}

// Row t right of the diagonal becomes (beta, 0, …) by H from the right, with a real beta.
template <class T>
T reduce_row(ComplexReflectors<T>& right, const ComplexColumns<T>& a, int64_t t) {
  using C = std::complex<T>;
  const int64_t n = a.columns() - t - 1, below = a.rows() - t - 1;
  std::vector<C> x(size_for<C>(n)), sums(size_for<C>(below));
  for (int64_t j = 0; j < n; ++j) x[static_cast<size_t>(j)] = std::conj(a(t, t + 1 + j));
  const T beta = right.make(t, x.data());
  const C* const v = right.vector(t);
  for (int64_t j = 0; j < n; ++j) add_times(sums.data(), v[j], a.column(t + 1 + j) + t + 1, below);
  for (int64_t j = 0; j < n; ++j) {
    const C factor = -right.tau[static_cast<size_t>(t)] * std::conj(v[j]);
    add_times(a.column(t + 1 + j) + t + 1, factor, sums.data(), below);
  }
  return beta;
}

// Hᴴ·A·H = A − w·vᴴ − v·wᴴ with w = p − ½·|τ|²·(vᴴ·A·v)·v and p = τ·A·v, of what is below and right of column t.
template <class T>
T reduce_both(ComplexReflectors<T>& q, const ComplexColumns<T>& a, int64_t t) {
  using C = std::complex<T>;
  const int64_t at = t + 1, n = a.rows() - at;
  const T beta = q.make(t, a.column(t) + at);
  const C tau = q.tau[static_cast<size_t>(t)];
  const C* const v = q.vector(t);
  std::vector<C> w(size_for<C>(n));
  for (int64_t j = 0; j < n; ++j) add_times(w.data(), v[j], a.column(at + j) + at, n);
  const T along = inner(v, w.data(), n).real();
  for (int64_t i = 0; i < n; ++i)
    w[static_cast<size_t>(i)] = tau * w[static_cast<size_t>(i)] - T(0.5) * square(tau) * along * v[i];
  for (int64_t j = 0; j < n; ++j) {
    add_times(a.column(at + j) + at, -std::conj(v[j]), w.data(), n);
    add_times(a.column(at + j) + at, -std::conj(w[static_cast<size_t>(j)]), v, n);
  }
  return beta;
}

// --- vectors ---

// The factor of magnitude 1 that makes the largest element (the first of equals) real and positive; the column with it.
template <class T>
std::complex<T> turn_column(const ComplexColumns<T>& columns, int64_t j) {
  using C = std::complex<T>;
  C* const x = columns.column(j);
  int64_t at = 0;
  for (int64_t i = 1; i < columns.rows(); ++i) at = square(x[i]) > square(x[at]) ? i : at;
  const T size = std::sqrt(square(x[at]));
  const C phase = size > 0 ? std::conj(x[at]) / size : C(1);
  for (int64_t i = 0; i < columns.rows(); ++i) x[i] *= phase;
  x[at] = C(size);
  return phase;
}

// Columns of a unitary matrix times a real one, whose row order[j] is vector j.
template <class T>
ComplexColumns<T> rotated(ops::Context& context, const ComplexColumns<T>& q, const Grid<T>& rows,
                          const std::vector<int64_t>& order) {
  const auto k = static_cast<int64_t>(order.size());
  ComplexColumns<T> result(context, q.rows(), k);
  for (int64_t j = 0; j < k; ++j) {
    poll_interrupt(context);
    const T* const vector = rows.row(order[static_cast<size_t>(j)]);
    for (int64_t i = 0; i < k; ++i) {
      for (int64_t r = 0; r < q.rows(); ++r) result(r, j) += q(r, i) * vector[i];
    }
  }
  return result;
}

template <class T>
std::vector<int64_t> order_of(const std::vector<T>& values, bool descending) {
  std::vector<int64_t> order(values.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto value = [&](int64_t i) { return values[static_cast<size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t i, int64_t j) { return descending ? value(i) > value(j) : value(i) < value(j); });
  return order;
}

// m × n with m ≥ n: columns of U and V.
template <class T>
struct TallSvd {
  ComplexColumns<T> u, v;
  bool found;
};
template <class T>
TallSvd<T> tall_svd(ops::Context& context, const ComplexColumns<T>& a, T* s) {
  const int64_t m = a.rows(), n = a.columns();
  std::vector<T> d(size_for<T>(n)), e(size_for<T>(n));
  ComplexReflectors<T> left(context, m, n, 0), right(context, n, n - 1, 1);
  for (int64_t t = 0; t < n; ++t) {
    poll_interrupt(context);
    d[static_cast<size_t>(t)] = reduce_column(left, a, t);
    if (t + 1 < n) e[static_cast<size_t>(t)] = reduce_row(right, a, t);
  }
  const Grid<T> ut(context, n, n), vt(context, n, n);
  set_identity(ut.all());
  set_identity(vt.all());
  const bool found = bidiagonal_singular_values(context, n, d.data(), e.data(), ut.all(), vt.all());
  for (int64_t i = 0; i < n; ++i) {
    T& value = d[static_cast<size_t>(i)];
    if (std::signbit(value)) value = -value, scale(vt.row(i), T(-1), n);
  }
  const std::vector<int64_t> order = order_of(d, true);
  for (int64_t i = 0; i < n; ++i) s[i] = d[static_cast<size_t>(order[static_cast<size_t>(i)])];
  return {rotated(context, left.product(context, n), ut, order), rotated(context, right.product(context, n), vt, order),
          found};
}

// Factors in place, rows exchanged for the largest pivot: order[i] is where row i was. −1 where an odd number of times,
// 0 where a pivot is 0.
template <class T>
int factor_complex(ops::Context& context, const ComplexColumns<T>& a, int64_t* order) {
  using C = std::complex<T>;
  const int64_t m = a.rows(), n = a.columns();
  std::iota(order, order + m, int64_t{0});
  int sign = 1;
  for (int64_t t = 0; t < std::min(m, n); ++t) {
    poll_interrupt(context);
    int64_t at = t;
    for (int64_t i = t + 1; i < m; ++i) at = sum_of_parts(a(i, t)) > sum_of_parts(a(at, t)) ? i : at;
    if (a(at, t) == C()) {
      sign = 0;
      continue;
    }
    if (at != t) {
      sign = -sign;
      std::swap(order[t], order[at]);
      for (int64_t j = 0; j < n; ++j) std::swap(a(t, j), a(at, j));
    }
    const C pivot = a(t, t), by = C(1) / pivot;
    const bool inverts = sum_of_parts(pivot) >= std::numeric_limits<T>::min();
    for (int64_t i = t + 1; i < m; ++i) a(i, t) = inverts ? a(i, t) * by : a(i, t) / pivot;
    for (int64_t j = t + 1; j < n; ++j) add_times(a.column(j) + t + 1, -a(t, j), a.column(t) + t + 1, m - t - 1);
  }
  return sign;
}

}  // namespace

template <class T>
ComplexDeterminant<T> complex_determinant(ops::Context& context, ComplexParts<T> a) {
  using C = std::complex<T>;
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  if (!is_finite(a)) return {nan, nan, nan, nan, nan};
  const ComplexColumns<T> factors = joined(context, a, 0, false);
  std::vector<int64_t> order(size_for<int64_t>(a.rows));
  const int sign = factor_complex(context, factors, order.data());
  if (sign == 0) return {T(0), T(0), -std::numeric_limits<T>::infinity(), T(0), T(0)};
  C product = C(static_cast<T>(sign));
  int64_t exponent = 0;
  for (int64_t i = 0; i < a.rows; ++i) {
    product *= factors(i, i);
    const int by = std::ilogb(sum_of_parts(product));
    product = times_power(product, -by);
    exponent += by;
  }
  const T size = std::sqrt(square(product));
  constexpr int64_t beyond = 1 << 14;  // of any float
  const C value = times_power(product, static_cast<int>(std::clamp(exponent, -beyond, beyond)));
  constexpr T log_2 = T(0.693147180559945309417232121458176568L);
  return {product.real() / size, product.imag() / size,
          static_cast<T>(kernels::logarithm(static_cast<double>(size))) + static_cast<T>(exponent) * log_2,
          value.real(), value.imag()};
}

template <class T>
void complex_lu(ops::Context& context, ComplexParts<T> a, ComplexTarget<T> to, int64_t* order) {
  const ComplexColumns<T> factors = joined(context, a, 0, false);
  factor_complex(context, factors, order);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.columns; ++j) {
      to.re[i * a.columns + j] = factors(i, j).real();
      to.im[i * a.columns + j] = factors(i, j).imag();
    }
  }
}

template <class T>
void complex_qr(ops::Context& context, ComplexParts<T> a, bool complete, ComplexTarget<T> qt, ComplexTarget<T> r) {
  const int64_t m = a.rows, n = a.columns, least = std::min(m, n), k = complete ? m : least;
  const int exponent = scale_exponent(a);
  const ComplexColumns<T> reduced = joined(context, a, exponent, false);
  ComplexReflectors<T> left(context, m, least, 0);
  for (int64_t t = 0; t < least; ++t) {
    poll_interrupt(context);
    const T beta = reduce_column(left, reduced, t);
    reduced(t, t) = std::complex<T>(beta);
  }
  put_columns(left.product(context, k), false, qt);
  for (int64_t i = 0; i < k; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const auto x = j < i ? std::complex<T>() : times_power(reduced(i, j), exponent);
      r.re[i * n + j] = x.real();
      r.im[i * n + j] = x.imag();
    }
  }
}

template <class T>
bool complex_svd(ops::Context& context, ComplexParts<T> a, ComplexTarget<T> ut, T* s, ComplexTarget<T> vh) {
  const int64_t k = std::min(a.rows, a.columns);
  if (!is_finite(a)) return false;
  if (k == 0) return true;
  const int exponent = scale_exponent(a);
  const bool wide = a.rows < a.columns;
  const TallSvd<T> svd = tall_svd(context, joined(context, a, exponent, wide), s);
  if (!svd.found) return false;
  const ComplexColumns<T>&u = wide ? svd.v : svd.u, &v = wide ? svd.u : svd.v;
  for (int64_t j = 0; j < k; ++j) {
    s[j] = std::ldexp(s[j], exponent);
    const std::complex<T> phase = turn_column(u, j);
    for (int64_t i = 0; i < v.rows(); ++i) v(i, j) *= phase;
  }
  put_columns(u, false, ut);
  put_columns(v, true, vh);
  return true;
}

template <class T>
bool complex_eigh(ops::Context& context, ComplexParts<T> a, T* w, ComplexTarget<T> vt) {
  const int64_t n = a.rows;
  if (!is_finite(a)) return false;
  if (n == 0) return true;
  const int exponent = scale_exponent(a);
  const ComplexColumns<T> reduced = joined(context, a, exponent, false);
  std::vector<T> d(size_for<T>(n)), e(size_for<T>(n));
  ComplexReflectors<T> q(context, n, n - 1, 1);
  for (int64_t t = 0; t < n; ++t) {
    poll_interrupt(context);
    d[static_cast<size_t>(t)] = reduced(t, t).real();
    if (t + 1 < n) e[static_cast<size_t>(t)] = reduce_both(q, reduced, t);
  }
  const Grid<T> rows(context, n, n);
  set_identity(rows.all());
  if (!tridiagonal_eigenvalues(context, d.data(), e.data(), rows.all())) return false;
  const std::vector<int64_t> order = order_of(d, false);
  for (int64_t i = 0; i < n; ++i) w[i] = std::ldexp(d[static_cast<size_t>(order[static_cast<size_t>(i)])], exponent);
  const ComplexColumns<T> v = rotated(context, q.product(context, n), rows, order);
  for (int64_t j = 0; j < n; ++j) turn_column(v, j);
  put_columns(v, false, vt);
  return true;
}

#define COVEC_FOR(T)                                                                                  \
  template ComplexDeterminant<T> complex_determinant(ops::Context&, ComplexParts<T>);                 \
  template void complex_lu(ops::Context&, ComplexParts<T>, ComplexTarget<T>, int64_t*);               \
  template void complex_qr(ops::Context&, ComplexParts<T>, bool, ComplexTarget<T>, ComplexTarget<T>); \
  template bool complex_svd(ops::Context&, ComplexParts<T>, ComplexTarget<T>, T*, ComplexTarget<T>);  \
  template bool complex_eigh(ops::Context&, ComplexParts<T>, T*, ComplexTarget<T>);
COVEC_FOR(float)
COVEC_FOR(double)
#undef COVEC_FOR

}  // namespace covec::kernels
