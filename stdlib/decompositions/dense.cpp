#include "stdlib/decompositions/dense.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace covec::kernels {

namespace {

template <class T>
constexpr Dtype dtype_of() {
  return sizeof(T) == 4 ? Dtype::f32 : Dtype::f64;
}

constexpr int64_t tile = 16;  // of a transposition: two tiles stay in the first-level cache

}  // namespace

template <class T>
Grid<T>::Grid(ops::Context& context, int64_t rows, int64_t columns) : Grid(context, rows, columns, Unset()) {
  std::fill_n(memory_.as<T>(), rows * columns, T(0));
}

template <class T>
void assign_product(ops::Context& context, Dense<T> c, Matrix a, Matrix b, int64_t k) {
  multiply(context, {dtype_of<T>(), c.rows, c.columns, k, a, b, reinterpret_cast<std::byte*>(c.at), c.stride, false});
}

template <class T>
void subtract_product(ops::Context& context, Dense<T> c, Matrix a, Matrix b, int64_t k) {
  if (c.rows == 0 || c.columns == 0 || k == 0) return;
  if (c.rows == 1 && c.columns == 1) {
    T product;
    assign_product(context, Dense<T>{&product, 1, 1, 1}, a, b, k);
    c(0, 0) -= product;
    return;
  }
  multiply(context, {dtype_of<T>(), c.rows, c.columns, k, a, b, reinterpret_cast<std::byte*>(c.at), c.stride, true});
}

template <class T>
void assign_row(ops::Context& context, T* to, int64_t n, const T* x, int64_t k, Matrix a) {
  assign_product(context, Dense<T>{to, 1, n, n}, {reinterpret_cast<const std::byte*>(x), k, 1}, a, k);
}

template <class T>
const DenseRows<T>& dense_rows_for(const ops::Context& context) {
  static constexpr ops::PerIsa<const DenseRows<T>&(T)> kernels = COVEC_PER_ISA(dense_rows);
  return kernels[context.isa](T());
}

template <class T>
void copy(Dense<T> to, Dense<T> from) {
  for (int64_t i = 0; i < from.rows; ++i) std::copy_n(from.row(i), from.columns, to.row(i));
}

template <class T>
void copy_transposed(Dense<T> to, Dense<T> from) {
  for (int64_t i = 0; i < from.rows; i += tile) {
    for (int64_t j = 0; j < from.columns; j += tile) {
      const int64_t rows = std::min(from.rows, i + tile), columns = std::min(from.columns, j + tile);
      for (int64_t r = i; r < rows; ++r) {
        for (int64_t c = j; c < columns; ++c) to(c, r) = from(r, c);
      }
    }
  }
}

template <class T>
void set_identity(Dense<T> a) {
  for (int64_t i = 0; i < a.rows; ++i) {
    std::fill_n(a.row(i), a.columns, T(0));
    if (i < a.columns) a(i, i) = T(1);
  }
}

template <class T>
T dot(const T* x, const T* y, int64_t n) {
  constexpr int64_t lanes = 16;  // sums side by side: 64 bytes of f32, 128 of f64
  T sums[lanes] = {};
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (int64_t lane = 0; lane < lanes; ++lane) sums[lane] += x[i + lane] * y[i + lane];
  }
  for (int64_t lane = 0; i < n; ++i, ++lane) sums[lane] += x[i] * y[i];
  for (int64_t half = lanes / 2; half > 0; half /= 2) {
    for (int64_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  }
  return sums[0];
}

template <class T>
void add_scaled(T* y, T factor, const T* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] += factor * x[i];
}

template <class T>
void scale(T* x, T factor, int64_t n) {
  for (int64_t i = 0; i < n; ++i) x[i] *= factor;
}

template <class T>
T largest_magnitude(const T* x, int64_t n) {
  constexpr int64_t lanes = 16;                  // maxima side by side: 64 bytes of f32, 128 of f64
  T largest[lanes] = {}, strangers[lanes] = {};  // how many NaN there are
  const auto look = [&](int64_t i, int64_t lane) {
    const T magnitude = std::abs(x[i]);
    largest[lane] = magnitude > largest[lane] ? magnitude : largest[lane];
    strangers[lane] += x[i] != x[i] ? T(1) : T(0);
  };
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (int64_t lane = 0; lane < lanes; ++lane) look(i + lane, lane);
  }
  for (; i < n; ++i) look(i, 0);
  for (const T count : strangers) {
    if (count > T(0)) return std::numeric_limits<T>::quiet_NaN();
  }
  return *std::max_element(largest, largest + lanes);
}

#define COVEC_FOR(T)                                                                \
  template class Grid<T>;                                                           \
  template void assign_product(ops::Context&, Dense<T>, Matrix, Matrix, int64_t);   \
  template void subtract_product(ops::Context&, Dense<T>, Matrix, Matrix, int64_t); \
  template void assign_row(ops::Context&, T*, int64_t, const T*, int64_t, Matrix);  \
  template const DenseRows<T>& dense_rows_for(const ops::Context&);                 \
  template void copy(Dense<T>, Dense<T>);                                           \
  template void copy_transposed(Dense<T>, Dense<T>);                                \
  template void set_identity(Dense<T>);                                             \
  template T dot(const T*, const T*, int64_t);                                      \
  template void add_scaled(T*, T, const T*, int64_t);                               \
  template void scale(T*, T, int64_t);                                              \
  template T largest_magnitude(const T*, int64_t);
COVEC_FOR(float)
COVEC_FOR(double)
#undef COVEC_FOR

}  // namespace covec::kernels
