#include "stdlib/decompositions/reflectors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stdlib/kernels/parallel.hpp"

namespace covec::kernels {

namespace {

// Squares of numbers between these bounds neither overflow nor lose bits that matter, whatever n is.
template <class T>
constexpr T least_square = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon();
template <class T>
constexpr T max_square = std::numeric_limits<T>::max() * std::numeric_limits<T>::epsilon();

template <class T>
Reflector<T> make_scaled(T* x, int64_t n, T tail) {
  const T norm = std::sqrt(x[0] * x[0] + tail), beta = x[0] < 0 ? norm : -norm;
  const T pivot = x[0] - beta;
  for (int64_t i = 1; i < n; ++i) x[i] /= pivot;
  const Reflector<T> made{(beta - x[0]) / beta, beta};
  x[0] = T(1);
  return made;
}

}  // namespace

template <class T>
Reflector<T> make_reflector(T* x, int64_t n) {
  if (n == 0) return {T(0), T(0)};
  const T tail = dot(x + 1, x + 1, n - 1);
  if (tail > least_square<T> && tail < max_square<T> && std::abs(x[0]) < std::sqrt(max_square<T>))
    return make_scaled(x, n, tail);
  const T largest = largest_magnitude(x + 1, n - 1);
  if (largest == T(0)) {
    const T beta = x[0];
    x[0] = T(1);
    return {T(0), beta};
  }
  // By a power of two, which changes no bits of v.
  int exponent = 0;
  std::frexp(std::max(largest, std::abs(x[0])), &exponent);
  for (int64_t i = 0; i < n; ++i) x[i] = std::ldexp(x[i], -exponent);
  Reflector<T> made = make_scaled(x, n, dot(x + 1, x + 1, n - 1));
  made.beta = std::ldexp(made.beta, exponent);
  return made;
}

namespace {

// Tᵀ of I − V·T·Vᵀ, the product of these reflectors in their order: lower triangular.
template <class T>
void block_factor(ops::Context& context, Dense<T> v, const T* tau, Dense<T> t) {
  const auto memory = Grid<T>::unset(context, v.rows, v.rows);
  const Dense<T> gram = memory.all();
  assign_product(context, gram, matrix(v), transposed(v), v.columns);
  for (int64_t i = 0; i < v.rows; ++i) {
    T* const row = t.row(i);
    std::fill_n(row, v.rows, T(0));
    for (int64_t k = 0; k < i; ++k) add_scaled(row, gram(k, i), t.row(k), k + 1);
    scale(row, -tau[i], i);
    row[i] = tau[i];
  }
}

// c := c·B or c·Bᵀ with B = I − V·T·Vᵀ; the rows of v are V's columns.
template <class T>
void apply_block(ops::Context& context, Dense<T> c, Dense<T> v, const T* tau, bool transpose) {
  if (c.rows == 0 || v.rows == 0) return;
  const auto factor = Grid<T>::unset(context, v.rows, v.rows), projected = Grid<T>::unset(context, c.rows, v.rows),
             product = Grid<T>::unset(context, c.rows, v.rows);
  block_factor(context, v, tau, factor.all());
  assign_product(context, projected.all(), matrix(c), transposed(v), c.columns);
  assign_product(context, product.all(), matrix(projected.all()),
                 transpose ? matrix(factor.all()) : transposed(factor.all()), v.rows);
  subtract_product(context, c, matrix(product.all()), matrix(v), v.rows);
}

// Columns of a panel one after the other: rows [first, last) of Aᵀ.
template <class T>
void factor_panel(ops::Context& context, Dense<T> at, int64_t first, int64_t last, Dense<T> v, T* tau) {
  const DenseRows<T>& passes = dense_rows_for<T>(context);
  T factors[reflector_block];
  for (int64_t j = first; j < last; ++j) {
    poll_interrupt(context);
    const int64_t n = at.columns - j, rows = last - j - 1;
    T* const reflector = v.row(j) + j;
    std::copy_n(at.row(j) + j, n, reflector);
    const Reflector<T> made = make_reflector(reflector, n);
    tau[j] = made.tau;
    at(j, j) = made.beta;
    std::fill_n(at.row(j) + j + 1, n - 1, T(0));
    if (made.tau == T(0)) continue;
    T* const others = at.row(j) + at.stride + j;
    passes.dots(others, at.stride, rows, n, reflector, factors);
    scale(factors, -made.tau, rows);
    passes.add_to_rows(others, at.stride, rows, n, factors, reflector);
  }
}

}  // namespace

template <class T>
void factor_qr(ops::Context& context, Dense<T> at, Dense<T> v, T* tau) {
  for (int64_t first = 0; first < v.rows; first += reflector_block) {
    const int64_t last = std::min(v.rows, first + reflector_block);
    factor_panel(context, at, first, last, v, tau);
    apply_block(context, at.from(last, first), v.part(first, first, last - first, v.columns - first), tau + first,
                false);
  }
}

namespace {

// Few reflectors at a time cost little to join, many write each row less often.
int64_t block_for(int64_t reflectors) { return reflectors < 256 ? reflector_block : 2 * reflector_block; }

}  // namespace

template <class T>
void form_rows(ops::Context& context, const Reflectors<T>& reflectors, Dense<T> rows) {
  const Dense<T>& v = reflectors.v;
  set_identity(rows);
  if (v.rows == 0) return;
  const int64_t block = block_for(v.rows);
  for (int64_t first = (v.rows - 1) / block * block; first >= 0; first -= block) {
    const int64_t count = std::min(v.rows - first, block), at = first + reflectors.offset;
    if (at >= v.columns || at >= rows.rows) continue;
    apply_block(context, rows.from(at, at), v.part(first, at, count, v.columns - at), reflectors.tau + first, true);
  }
}

template <class T>
void turn_rows(ops::Context& context, const Reflectors<T>& reflectors, Dense<T> rows) {
  const Dense<T>& v = reflectors.v;
  if (v.rows == 0) return;
  const int64_t block = block_for(v.rows);
  for (int64_t first = (v.rows - 1) / block * block; first >= 0; first -= block) {
    const int64_t count = std::min(v.rows - first, block), at = first + reflectors.offset;
    if (at >= v.columns) continue;
    apply_block(context, rows.from(0, at), v.part(first, at, count, v.columns - at), reflectors.tau + first, true);
  }
}

#define COVEC_FOR(T)                                                      \
  template Reflector<T> make_reflector(T*, int64_t);                      \
  template void form_rows(ops::Context&, const Reflectors<T>&, Dense<T>); \
  template void turn_rows(ops::Context&, const Reflectors<T>&, Dense<T>); \
  template void factor_qr(ops::Context&, Dense<T>, Dense<T>, T*);
COVEC_FOR(float)
COVEC_FOR(double)
#undef COVEC_FOR

}  // namespace covec::kernels
