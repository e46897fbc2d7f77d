// Factorizes recursively, after F. Gustavson, "Recursion leads to automatic variable blocking for dense linear-algebra
// algorithms", IBM J. Res. Dev. 41 (1997).
#include "stdlib/decompositions/factor.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stdlib/decompositions/elimination.hpp"
#include "stdlib/kernels/parallel.hpp"

namespace covec::kernels {

namespace {

constexpr int64_t max_plain_columns = 16;  // so many columns are done by plain loops

// --- triangles ---

template <class T>
void solve_small(ops::Context& context, Dense<T> t, Triangle triangle, Dense<T> b) {
  PlainNumbers<T> numbers;
  poll_interrupt(context);
  substitute(numbers, t, t.rows, triangle == Triangle::upper, triangle == Triangle::unit_lower, b, b.columns);
}

// Rows of b solved from the right: b := b·l⁻ᵀ.
template <class T>
void solve_right(ops::Context& context, Dense<T> l, Dense<T> b) {
  const int64_t n = l.rows;
  if (n <= max_plain_columns) {
    poll_interrupt(context);
    for (int64_t i = 0; i < b.rows; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        T sum = b(i, j);
        for (int64_t k = 0; k < j; ++k) sum -= b(i, k) * l(j, k);
        b(i, j) = sum / l(j, j);
      }
    }
    return;
  }
  const int64_t half = n / 2;
  const Dense<T> left = b.part(0, 0, b.rows, half), right = b.part(0, half, b.rows, n - half);
  solve_right(context, l.part(0, 0, half, half), left);
  subtract_product(context, right, matrix(left), transposed(l.part(half, 0, n - half, half)), half);
  solve_right(context, l.part(half, half, n - half, n - half), right);
}

// --- LU ---

template <class T>
void exchange_rows(Dense<T> a, int64_t i, int64_t j) {
  if (i != j) std::swap_ranges(&a(i, 0), &a(i, 0) + a.columns, &a(j, 0));
}

// `sign` becomes 0 where a pivot is 0.
template <class T>
struct Pivots : PlainNumbers<T> {
  ops::Context& context;
  int64_t* order;
  int sign = 1;

  Pivots(ops::Context& of, int64_t* rows) : context(of), order(rows) {}
  bool skips(T pivot) {
    if (pivot == T(0)) sign = 0;
    return pivot == T(0);
  }
  void pivot(const Dense<T>& a, int64_t j) {
    poll_interrupt(context);
    int64_t best = j;
    for (int64_t i = j + 1; i < a.rows; ++i) {
      if (std::abs(a(i, j)) > std::abs(a(best, j))) best = i;
    }
    if (best == j) return;
    exchange_rows(a, best, j);
    std::swap(order[best], order[j]);
    sign = -sign;
  }
};

template <class T>
struct LuFactors {
  ops::Context& context;
  Dense<T> a;
  Pivots<T> pivots;

  void columns(int64_t first, int64_t last) {
    if (last - first <= max_plain_columns) return eliminate(pivots, a, a.rows, first, last);
    const int64_t middle = first + (last - first) / 2, below = a.rows - middle;
    columns(first, middle);
    const Dense<T> right = a.part(first, middle, middle - first, last - middle);
    solve_triangle(context, a.part(first, first, middle - first, middle - first), Triangle::unit_lower, right);
    subtract_product(context, a.part(middle, middle, below, last - middle),
                     matrix(a.part(middle, first, below, middle - first)), matrix(right), middle - first);
    columns(middle, last);
  }
};

}  // namespace

template <class T>
int factor_lu(ops::Context& context, Dense<T> a, int64_t* order) {
  std::iota(order, order + a.rows, int64_t{0});
  LuFactors<T> factors{context, a, {context, order}};
  const int64_t square = std::min(a.rows, a.columns);
  factors.columns(0, square);
  if (square < a.columns) {
    solve_triangle(context, a.part(0, 0, square, square), Triangle::unit_lower,
                   a.part(0, square, square, a.columns - square));
  }
  return factors.pivots.sign;
}

template <class T>
void solve_triangle(ops::Context& context, Dense<T> t, Triangle triangle, Dense<T> b) {
  const int64_t n = t.rows;
  if (n <= max_plain_columns) return solve_small(context, t, triangle, b);
  const int64_t half = n / 2;
  const Dense<T> top = b.part(0, 0, half, b.columns), bottom = b.part(half, 0, n - half, b.columns);
  if (triangle == Triangle::upper) {
    solve_triangle(context, t.part(half, half, n - half, n - half), triangle, bottom);
    subtract_product(context, top, matrix(t.part(0, half, half, n - half)), matrix(bottom), n - half);
    solve_triangle(context, t.part(0, 0, half, half), triangle, top);
  } else {
    solve_triangle(context, t.part(0, 0, half, half), triangle, top);
    subtract_product(context, bottom, matrix(t.part(half, 0, n - half, half)), matrix(top), half);
    solve_triangle(context, t.part(half, half, n - half, n - half), triangle, bottom);
  }
}

namespace {

template <class T>
struct PositivePivots : PlainNumbers<T> {
  static bool fails(T pivot) { return !(pivot > T(0)); }
};

template <class T>
bool cholesky_part(ops::Context& context, Dense<T> a) {
  const int64_t n = a.rows;
  poll_interrupt(context);
  if (n <= max_plain_columns) {
    PositivePivots<T> pivots;
    return factor_positive(pivots, a, n);
  }
  const int64_t half = n / 2, rest = n - half;
  const Dense<T> left = a.part(0, 0, half, half), below = a.part(half, 0, rest, half);
  if (!cholesky_part(context, left)) return false;
  solve_right(context, left, below);
  subtract_product(context, a.part(half, half, rest, rest), matrix(below), transposed(below), half);
  return cholesky_part(context, a.part(half, half, rest, rest));
}

}  // namespace

template <class T>
bool factor_cholesky(ops::Context& context, Dense<T> a) {
  if (!cholesky_part(context, a)) return false;
  for (int64_t i = 0; i < a.rows; ++i) std::fill(&a(i, 0) + i + 1, &a(i, 0) + a.columns, T(0));
  return true;
}

template int factor_lu(ops::Context&, Dense<float>, int64_t*);
template int factor_lu(ops::Context&, Dense<double>, int64_t*);
template bool factor_cholesky(ops::Context&, Dense<float>);
template bool factor_cholesky(ops::Context&, Dense<double>);
template void solve_triangle(ops::Context&, Dense<float>, Triangle, Dense<float>);
template void solve_triangle(ops::Context&, Dense<double>, Triangle, Dense<double>);

}  // namespace covec::kernels
