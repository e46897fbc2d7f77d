#include "stdlib/decompositions/bidiagonal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stdlib/decompositions/reflectors.hpp"
#include "stdlib/decompositions/rotations.hpp"
#include "stdlib/kernels/parallel.hpp"

namespace covec::kernels {

namespace {

// y += x·A and y = A·x, on the session's threads.
template <class T>
void add_row_product(ops::Context& context, Dense<T> a, const T* x, T* y) {
  constexpr int64_t unit = 64;  // columns that one thread takes at least
  const DenseRows<T>& passes = dense_rows_for<T>(context);
  const int64_t units = (a.columns + unit - 1) / unit;
  parallel_for(context, units, std::max<int64_t>(1, 2048 / (a.rows + 1)), [&](int64_t begin, int64_t end) {
    const int64_t first = begin * unit, last = std::min(a.columns, end * unit);
    passes.add_rows(a.at + first, a.stride, a.rows, last - first, x, y + first);
  });
}
template <class T>
void column_product(ops::Context& context, Dense<T> a, const T* x, T* y) {
  const DenseRows<T>& passes = dense_rows_for<T>(context);
  parallel_for(context, a.rows, std::max<int64_t>(4, 131072 / (a.columns + 1)), [&](int64_t begin, int64_t end) {
    passes.dots(a.row(begin), a.stride, end - begin, a.columns, x, y + begin);
  });
}

// One block of columns and rows: what is to be subtracted of A is V·Y + Xᵀ·U, row t of each for column and row t.
template <class T>
struct BidiagonalPanel {
  ops::Context& context;
  Dense<T> a;     // what is left
  Dense<T> v, u;  // reflectors of columns and of rows
  Dense<T> x, y;
  const DenseRows<T>& passes = dense_rows_for<T>(context);

  // to −= Σ column `of` of `factors`, times rows, of columns from `at` on.
  void subtract(Dense<T> factors, int64_t of, Dense<T> rows, int64_t at, int64_t count, T* to) const {
    T factor[reflector_block];
    for (int64_t t = 0; t < count; ++t) factor[t] = -factors(t, of);
    passes.add_rows(rows.at + at, rows.stride, count, rows.columns - at, factor, to);
  }

  // image −= (its products with rows of `from`, from column `start` on)·(rows of `to`, from column `at` on)
  void subtract_image(Dense<T> from, int64_t start, const T* vector, Dense<T> to, int64_t at, int64_t count,
                      T* image) const {
    T factor[reflector_block];
    passes.dots(from.at + start, from.stride, count, from.columns - start, vector, factor);
    scale(factor, T(-1), count);
    passes.add_rows(to.at + at, to.stride, count, to.columns - at, factor, image);
  }

  void reduce_column(int64_t i, T& d, T& tau) const {
    poll_interrupt(context);
    T* const column = v.row(i) + i;
    for (int64_t row = i; row < a.rows; ++row) column[row - i] = a(row, i);
    subtract(y, i, v, i, i, column);
    subtract(u, i, x, i, i, column);
    const Reflector<T> made = make_reflector(column, a.rows - i);
    d = made.beta, tau = made.tau;
    const int64_t at = i + 1, n = a.columns - at;
    if (n == 0 || tau == T(0)) return;
    T* const image = y.row(i) + at;
    add_row_product(context, a.from(i, at), column, image);
    subtract_image(v, i, column, y, at, i, image);
    subtract_image(x, i, column, u, at, i, image);
    scale(image, tau, n);
  }

  void reduce_row(int64_t i, T& e, T& tau) const {
    const int64_t at = i + 1, n = a.columns - at, height = a.rows - at;
    if (n == 0) return;
    T* const row = u.row(i) + at;
    std::copy_n(a.row(i) + at, n, row);
    subtract(v, i, y, at, i + 1, row);
    subtract(x, i, u, at, i, row);
    const Reflector<T> made = make_reflector(row, n);
    e = made.beta, tau = made.tau;
    if (tau == T(0)) return;
    T* const image = x.row(i) + at;
    column_product(context, a.from(at, at), row, image);
    subtract_image(y, at, row, v, at, i + 1, image);
    subtract_image(u, at, row, x, at, i, image);
    scale(image, tau, height);
  }
};

// [above; below] of columns from `at` on
template <class T>
Grid<T> stacked(ops::Context& context, Dense<T> above, Dense<T> below, int64_t at) {
  auto both = Grid<T>::unset(context, 2 * above.rows, above.columns - at);
  copy(both.all(), above.from(0, at));
  copy(both.all().from(above.rows, 0), below.from(0, at));
  return both;
}

}  // namespace

template <class T>
void reduce_to_bidiagonal(ops::Context& context, Dense<T> a, T* d, T* e, const BidiagonalReflectors<T>& reflectors) {
  const int64_t m = a.rows, n = a.columns;
  std::fill_n(reflectors.left_tau, n, T(0));
  std::fill_n(reflectors.right_tau, n, T(0));
  for (int64_t first = 0; first < n; first += reflector_block) {
    const int64_t count = std::min(reflector_block, n - first);
    const Grid<T> x(context, count, m - first), y(context, count, n - first);
    const Dense<T> rest = a.from(first, first);
    const BidiagonalPanel<T> panel{context,
                                   rest,
                                   reflectors.left.part(first, first, count, m - first),
                                   reflectors.right.part(first, first, count, n - first),
                                   x.all(),
                                   y.all()};
    for (int64_t i = 0; i < count; ++i) {
      T unused = 0;
      panel.reduce_column(i, d[first + i], reflectors.left_tau[first + i]);
      panel.reduce_row(i, first + i + 1 < n ? e[first + i] : unused, reflectors.right_tau[first + i]);
    }
    const Grid<T> left = stacked(context, panel.v, x.all(), count), right = stacked(context, y.all(), panel.u, count);
    subtract_product(context, rest.from(count, count), transposed(left.all()), matrix(right.all()), 2 * count);
  }
}

namespace {

// An undivided block, walked from its upper end down or the other way round: its transpose is a bidiagonal matrix too,
// with left and right exchanged.
template <class T>
struct Chase {
  T* d;
  T* e;
  int64_t first, last, step;  // rows of the block; ±1
  int64_t end() const { return last - first; }
  T& diagonal(int64_t i) const { return d[step > 0 ? first + i : last - i]; }
  T& off_diagonal(int64_t i) const { return e[step > 0 ? first + i : last - i - 1]; }  // between i and i + 1
  void push(Rotations<T>& rows, int64_t i, const Rotation<T>& rotation) const {
    if (step > 0) return rows.push(first + i, rotation);
    rows.push(last - i - 1, {rotation.c, -rotation.s});
  }
};

template <class T>
constexpr T rounding = std::numeric_limits<T>::epsilon() / 2;
// Relative to a value, what may be dropped beside it: Demmel and Kahan's choice.
template <class T>
constexpr T tolerance = T(sizeof(T) == 4 ? 10 : 64) * rounding<T>;

// The smaller singular value of an upper triangular 2 × 2 matrix.
template <class T>
T smaller_value(T f, T g, T h) {
  const T a = std::abs(f), b = std::abs(g), c = std::abs(h), least = std::min(a, c), most = std::max(a, c);
  if (least == T(0)) return T(0);
  const T sum = 1 + least / most, difference = (most - least) / most;
  if (b < most) {
    const T square = (b / most) * (b / most);
    return least * (2 / (std::sqrt(sum * sum + square) + std::sqrt(difference * difference + square)));
  }
  const T ratio = most / b;
  if (ratio == T(0)) return least * most / b;
  const T x = sum * ratio, y = difference * ratio;
  return 2 * (least * (1 / (std::sqrt(1 + x * x) + std::sqrt(1 + y * y)))) * ratio;
}

template <class T>
class SingularValues {
 public:
  SingularValues(ops::Context& context, int64_t n, T* d, T* e, Dense<T> ut, Dense<T> vt)
      : context_(context), n_(n), d_(d), e_(e), left_(context, ut), right_(context, vt) {}

  bool find() {
    least_ = negligible_off_diagonal();
    int64_t work = 12 * n_ * n_ + 100;
    for (int64_t last = n_ - 1; last > 0;) {
      poll_interrupt(context_);
      const int64_t first = block_above(last);
      if (first == last) {
        --last;
        continue;
      }
      choose_direction(first, last);
      const Chase<T> chase{d_, e_, first, last, down_ ? 1 : -1};
      T smallest;
      if (drops_any(chase, smallest)) continue;
      if ((work -= last - first) < 0) return false;
      step(chase, smallest);
    }
    left_.apply();
    right_.apply();
    return true;
  }

 private:
  // What may be dropped beside any value: a small part of a lower bound of the smallest singular value.
  T negligible_off_diagonal() const {
    T bound = std::abs(d_[0]), mu = bound;
    for (int64_t i = 1; i < n_ && bound != T(0); ++i) {
      mu = std::abs(d_[i]) * (mu / (mu + std::abs(e_[i - 1])));
      bound = std::min(bound, mu);
    }
    const T floor = std::numeric_limits<T>::min() * static_cast<T>(n_) * static_cast<T>(n_);
    return std::max(tolerance<T> * bound / std::sqrt(static_cast<T>(n_)), floor);
  }

  int64_t block_above(int64_t last) {
    int64_t first = last;
    while (first > 0 && std::abs(e_[first - 1]) > least_) --first;
    if (first > 0) e_[first - 1] = 0;
    return first;
  }

  // From the larger end to the smaller; a block keeps the direction that it began with.
  void choose_direction(int64_t first, int64_t last) {
    if (first >= block_first_ && last <= block_last_) return;
    down_ = std::abs(d_[first]) >= std::abs(d_[last]);
    block_first_ = first, block_last_ = last;
  }

  // Drops what is small against what is beside it; gives a lower bound of the block's singular values.
  bool drops_any(const Chase<T>& chase, T& smallest) const {
    const int64_t end = chase.end();
    if (std::abs(chase.off_diagonal(end - 1)) <= tolerance<T> * std::abs(chase.diagonal(end))) {
      chase.off_diagonal(end - 1) = 0;
      return true;
    }
    T mu = std::abs(chase.diagonal(0));
    smallest = mu;
    for (int64_t i = 0; i < end; ++i) {
      const T off_diagonal = std::abs(chase.off_diagonal(i));
      if (off_diagonal <= tolerance<T> * mu) {
        chase.off_diagonal(i) = 0;
        return true;
      }
      mu = std::abs(chase.diagonal(i + 1)) * (mu / (mu + off_diagonal));
      smallest = std::min(smallest, mu);
    }
    return false;
  }

  // 0 where a shift would cost the small values their accuracy.
  T shift_of(const Chase<T>& chase, T smallest) const {
    const int64_t end = chase.end();
    T largest = std::abs(chase.diagonal(end));
    for (int64_t i = 0; i < end; ++i)
      largest = std::max(largest, std::max(std::abs(chase.diagonal(i)), std::abs(chase.off_diagonal(i))));
    if (static_cast<T>(n_) * tolerance<T> * (smallest / largest) <= std::max(rounding<T>, T(0.01) * tolerance<T>))
      return T(0);
    const T shift = smaller_value(chase.diagonal(end - 1), chase.off_diagonal(end - 1), chase.diagonal(end));
    const T start = std::abs(chase.diagonal(0));
    return start > 0 && (shift / start) * (shift / start) < rounding<T> ? T(0) : shift;
  }

  void step(const Chase<T>& chase, T smallest) {
    const T shift = shift_of(chase, smallest);
    Rotations<T>& of_columns = down_ ? right_ : left_;
    Rotations<T>& of_rows = down_ ? left_ : right_;
    of_columns.begin_sweep();
    of_rows.begin_sweep();
    if (shift == T(0)) {
      step_unshifted(chase, of_columns, of_rows);
    } else {
      step_shifted(chase, shift, of_columns, of_rows);
    }
    T& rest = chase.off_diagonal(chase.end() - 1);
    if (std::abs(rest) <= least_) rest = 0;
    of_columns.end_sweep();
    of_rows.end_sweep();
  }

  void step_unshifted(const Chase<T>& chase, Rotations<T>& of_columns, Rotations<T>& of_rows) const {
    const int64_t end = chase.end();
    Rotation<T> column{1, 0}, row{1, 0};
    for (int64_t i = 0; i < end; ++i) {
      T r;
      column = Rotation<T>::of(chase.diagonal(i) * column.c, chase.off_diagonal(i), r);
      if (i > 0) chase.off_diagonal(i - 1) = row.s * r;
      row = Rotation<T>::of(row.c * r, chase.diagonal(i + 1) * column.s, chase.diagonal(i));
      chase.push(of_columns, i, column);
      chase.push(of_rows, i, row);
    }
    const T h = chase.diagonal(end) * column.c;
    chase.diagonal(end) = h * row.c;
    chase.off_diagonal(end - 1) = h * row.s;
  }

  void step_shifted(const Chase<T>& chase, T shift, Rotations<T>& of_columns, Rotations<T>& of_rows) const {
    const int64_t end = chase.end();
    const T start = chase.diagonal(0);
    T f = (std::abs(start) - shift) * ((start < 0 ? T(-1) : T(1)) + shift / start), g = chase.off_diagonal(0);
    for (int64_t i = 0; i < end; ++i) {
      T r;
      T &here = chase.diagonal(i), &off_diagonal = chase.off_diagonal(i), &next = chase.diagonal(i + 1);
      const Rotation<T> column = Rotation<T>::of(f, g, r);
      if (i > 0) chase.off_diagonal(i - 1) = r;
      f = column.c * here + column.s * off_diagonal;
      off_diagonal = column.c * off_diagonal - column.s * here;
      g = column.s * next;
      next = column.c * next;
      const Rotation<T> row = Rotation<T>::of(f, g, here);
      f = row.c * off_diagonal + row.s * next;
      next = row.c * next - row.s * off_diagonal;
      if (i + 1 < end) {
        g = row.s * chase.off_diagonal(i + 1);
        chase.off_diagonal(i + 1) = row.c * chase.off_diagonal(i + 1);
      }
      chase.push(of_columns, i, column);
      chase.push(of_rows, i, row);
    }
    chase.off_diagonal(end - 1) = f;
  }

  ops::Context& context_;
  int64_t n_;
  T* d_;
  T* e_;
  Rotations<T> left_, right_;
  T least_ = 0;
  bool down_ = true;
  int64_t block_first_ = 0, block_last_ = -1;
};

}  // namespace

template <class T>
bool bidiagonal_singular_values(ops::Context& context, int64_t n, T* d, T* e, Dense<T> ut, Dense<T> vt) {
  return n == 0 || SingularValues<T>(context, n, d, e, ut, vt).find();
}

#define COVEC_FOR(T)                                                                                   \
  template void reduce_to_bidiagonal(ops::Context&, Dense<T>, T*, T*, const BidiagonalReflectors<T>&); \
  template bool bidiagonal_singular_values(ops::Context&, int64_t, T*, T*, Dense<T>, Dense<T>);
COVEC_FOR(float)
COVEC_FOR(double)
#undef COVEC_FOR

}  // namespace covec::kernels
