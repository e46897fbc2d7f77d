#include "stdlib/decompositions/tridiagonal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stdlib/decompositions/reflectors.hpp"
#include "stdlib/decompositions/rotations.hpp"
#include "stdlib/kernels/parallel.hpp"

namespace covec::kernels {

namespace {

// y = A·x of a symmetric matrix, of which only what is right of its diagonal is read. Bands of rows each have sums of
// their own, which are added in order, however many threads there are.
template <class T>
class SymmetricProduct {
 public:
  SymmetricProduct(ops::Context& context, int64_t most)
      : context_(context),
        passes_(dense_rows_for<T>(context)),
        sums_(Grid<T>::unset(context, (most + band - 1) / band, most)) {}

  void multiply(Dense<T> a, const T* x, T* y) const {
    const int64_t n = a.rows, bands = (n + band - 1) / band;
    parallel_for(context_, bands, 2, [&](int64_t begin, int64_t end) {
      for (int64_t unit = begin; unit < end; ++unit) {
        const int64_t at = unit * band;
        T* const sum = sums_.row(unit) + at;
        std::fill_n(sum, n - at, T(0));
        passes_.symmetric(a.row(at) + at, a.stride, std::min(band, n - at), n - at, x + at, sum);
      }
    });
    std::fill_n(y, n, T(0));
    for (int64_t unit = 0; unit < bands; ++unit)
      add_scaled(y + unit * band, T(1), sums_.row(unit) + unit * band, n - unit * band);
  }

 private:
  static constexpr int64_t band = 256;  // rows that one thread takes at a time
  ops::Context& context_;
  const DenseRows<T>& passes_;
  Grid<T> sums_;
};

// One block of columns: what is to be subtracted of A is V·Wᵀ + W·Vᵀ, row t of v and w for column t.
template <class T>
struct TridiagonalPanel {
  ops::Context& context;
  const SymmetricProduct<T>& product;
  Dense<T> a;  // what is left
  Dense<T> v, w;
  const DenseRows<T>& passes = dense_rows_for<T>(context);

  // to −= Σ factors[t]·row t, of columns from `at` on.
  void subtract(int64_t at, Dense<T> rows, int64_t count, T* factors, T* to) const {
    scale(factors, T(-1), count);
    passes.add_rows(rows.at + at, rows.stride, count, rows.columns - at, factors, to);
  }

  // Row i of A as it would be if all was subtracted: from its diagonal on.
  void update_row(int64_t i) const {
    T of_v[reflector_block], of_w[reflector_block];
    for (int64_t t = 0; t < i; ++t) of_v[t] = w(t, i), of_w[t] = v(t, i);
    subtract(i, v, i, of_v, a.row(i) + i);
    subtract(i, w, i, of_w, a.row(i) + i);
  }

  void reduce(int64_t i, T& d, T& e, T& tau) const {
    poll_interrupt(context);
    update_row(i);
    d = a(i, i);
    const int64_t at = i + 1, n = a.columns - at;
    if (n == 0) return;
    T* const reflector = v.row(i) + at;
    std::copy_n(a.row(i) + at, n, reflector);
    const Reflector<T> made = make_reflector(reflector, n);
    e = made.beta;
    tau = made.tau;
    if (tau == T(0)) return;
    T* const image = w.row(i) + at;
    product.multiply(a.from(at, at), reflector, image);
    T of_v[reflector_block], of_w[reflector_block];
    passes.dots(w.at + at, w.stride, i, n, reflector, of_v);
    passes.dots(v.at + at, v.stride, i, n, reflector, of_w);
    subtract(at, v, i, of_v, image);
    subtract(at, w, i, of_w, image);
    scale(image, tau, n);
    add_scaled(image, T(-0.5) * tau * dot(image, reflector, n), reflector, n);
  }
};

// a −= V·Wᵀ + W·Vᵀ right of a's diagonal, in bands of rows.
template <class T>
void subtract_both(ops::Context& context, Dense<T> a, Dense<T> v, Dense<T> w) {
  constexpr int64_t band = 128;  // rows of one product
  const int64_t count = v.rows;
  const auto left = Grid<T>::unset(context, 2 * count, a.rows), right = Grid<T>::unset(context, 2 * count, a.rows);
  copy(left.all(), v), copy(left.all().from(count, 0), w);
  copy(right.all(), w), copy(right.all().from(count, 0), v);
  for (int64_t at = 0; at < a.rows; at += band) {
    const int64_t rows = std::min(band, a.rows - at);
    subtract_product(context, a.part(at, at, rows, a.columns - at), transposed(left.all().part(0, at, 2 * count, rows)),
                     matrix(right.all().from(0, at)), 2 * count);
  }
}

}  // namespace

template <class T>
void reduce_to_tridiagonal(ops::Context& context, Dense<T> a, T* d, T* e, Dense<T> v, T* tau) {
  const int64_t n = a.rows;
  const SymmetricProduct<T> product(context, n);
  for (int64_t first = 0; first < n; first += reflector_block) {
    const int64_t count = std::min(reflector_block, n - first), left = n - first;
    const Grid<T> w(context, count, left);
    // The last column has no reflector.
    const int64_t reflectors = std::min(count, n - 1 - first);
    const Dense<T> here = v.part(first, first, reflectors, left);
    const TridiagonalPanel<T> panel{context, product, a.from(first, first), here, w.all()};
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = first + i;
      T unused = 0;
      tau[at] = T(0);
      panel.reduce(i, d[at], at + 1 < n ? e[at] : unused, tau[at]);
    }
    if (count < left)
      subtract_both(context, a.from(first + count, first + count), here.from(0, count), w.all().from(0, count));
  }
}

namespace {

// An undivided block of the matrix, which may be walked from either end.
template <class T>
struct Walk {
  T* d;
  T* e;
  int64_t first, step;  // ±1
  T& diagonal(int64_t i) const { return d[first + step * i]; }
  T& off_diagonal(int64_t i) const { return e[step > 0 ? first + i : first - i - 1]; }  // between i and i + 1
  int64_t upper_row(int64_t i) const { return step > 0 ? first + i : first - i - 1; }
};

// What may count as 0 between any two d: its square is no number in the largest's scale. Where zeros are on the
// diagonal, nothing else would be small enough.
template <class T>
T negligible_off_diagonal(const T* d, const T* e, int64_t n) {
  const T largest = std::max(largest_magnitude(d, n), largest_magnitude(e, n - 1));
  return std::max(std::numeric_limits<T>::min(), largest * std::sqrt(std::numeric_limits<T>::min()));
}

// Whether e may count as 0 between d and next.
template <class T>
bool is_negligible(T e, T d, T next, T least) {
  constexpr T epsilon = std::numeric_limits<T>::epsilon() / 2;
  const T magnitude = std::abs(e);
  return magnitude <= least || magnitude <= epsilon * std::sqrt(std::abs(d)) * std::sqrt(std::abs(next));
}

// One implicit QL step of elements 0 to `last`, with Wilkinson's shift.
template <class T>
void step_ql(const Walk<T>& walk, int64_t last, Rotations<T>& rows) {
  T p = walk.diagonal(0);
  T g = (walk.diagonal(1) - p) / (2 * walk.off_diagonal(0));
  const T r = std::abs(g) < 1 ? std::sqrt(1 + g * g) : std::abs(g) * std::sqrt(1 + (1 / g) * (1 / g));
  g = walk.diagonal(last) - p + walk.off_diagonal(0) / (g + (g < 0 ? -r : r));
  T c = 1, s = 1;
  p = 0;
  rows.begin_sweep();
  for (int64_t i = last - 1; i >= 0; --i) {
    const T f = s * walk.off_diagonal(i), b = c * walk.off_diagonal(i);
    T length;
    const Rotation<T> rotation = Rotation<T>::of(g, f, length);
    c = rotation.c, s = rotation.s;
    if (i != last - 1) walk.off_diagonal(i + 1) = length;
    g = walk.diagonal(i + 1) - p;
    const T sum = (walk.diagonal(i) - g) * s + 2 * c * b;
    p = s * sum;
    walk.diagonal(i + 1) = g + p;
    g = c * sum - b;
    rows.push(walk.upper_row(i), {c, walk.step > 0 ? -s : s});
  }
  walk.diagonal(0) -= p;
  walk.off_diagonal(0) = g;
  rows.end_sweep();
}

// Elements [first, last] of an undivided block, from the end where they are smaller: graded matrices keep their small
// eigenvalues so.
template <class T>
bool iterate(ops::Context& context, T* d, T* e, int64_t first, int64_t last, Rotations<T>& rows, int64_t& left) {
  const bool up = std::abs(d[last]) < std::abs(d[first]);
  const Walk<T> walk{d, e, up ? last : first, up ? -1 : 1};
  const int64_t end = last - first;
  const T least = negligible_off_diagonal(d + first, e + first, end + 1);
  for (int64_t at = 0; at < end;) {
    poll_interrupt(context);
    int64_t split = at;
    while (split < end &&
           !is_negligible(walk.off_diagonal(split), walk.diagonal(split), walk.diagonal(split + 1), least))
      ++split;
    if (split < end) walk.off_diagonal(split) = 0;
    if (split == at) {
      ++at;
      continue;
    }
    if (--left < 0) return false;
    const Walk<T> rest{d, e, walk.first + walk.step * at, walk.step};
    step_ql(rest, split - at, rows);
  }
  return true;
}

}  // namespace

template <class T>
int64_t end_of_undivided(const T* d, T* e, int64_t first, int64_t n) {
  constexpr T least = std::numeric_limits<T>::min();
  int64_t last = first;
  while (last + 1 < n && !is_negligible(e[last], d[last], d[last + 1], least)) ++last;
  if (last + 1 < n) e[last] = 0;
  return last + 1;
}

template <class T>
bool tridiagonal_eigenvalues(ops::Context& context, T* d, T* e, Dense<T> qt) {
  const int64_t n = qt.rows;
  Rotations<T> rows(context, qt);
  int64_t left = 60 * n;
  for (int64_t first = 0; first < n;) {
    const int64_t end = end_of_undivided(d, e, first, n);
    if (!iterate(context, d, e, first, end - 1, rows, left)) return false;
    first = end;
  }
  rows.apply();
  return true;
}

#define COVEC_FOR(T)                                                                  \
  template void reduce_to_tridiagonal(ops::Context&, Dense<T>, T*, T*, Dense<T>, T*); \
  template int64_t end_of_undivided(const T*, T*, int64_t, int64_t);                  \
  template bool tridiagonal_eigenvalues(ops::Context&, T*, T*, Dense<T>);
COVEC_FOR(float)
COVEC_FOR(double)
#undef COVEC_FOR

}  // namespace covec::kernels
