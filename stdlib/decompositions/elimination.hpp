// The text of elimination for numbers of any kind: those in memory (factor.cpp, the eager engine), and those of a
// graph, which the compiler computes matrices of a few rows with (jit/passes/scalar_systems.cpp). Both do the same
// operations in the same order, so they have the same bits.
//
// `Numbers` computes, as PlainNumbers does. Matrices give their elements by row and column.
#pragma once

#include <cmath>
#include <cstdint>

namespace covec::kernels {

// Columns from `first` to before `last` of LU with partial pivoting, in place. pivot(a, j) brings the row of largest
// magnitude in column j, the first of several, to row j from below. skips(pivot) notes a pivot of 0; where it is true
// the column stays as it is.
template <class Numbers, class Matrix>
void eliminate(Numbers& numbers, Matrix& a, int64_t rows, int64_t first, int64_t last) {
  for (int64_t j = first; j < last; ++j) {
    numbers.pivot(a, j);
    const auto diagonal = a(j, j);
    if (numbers.skips(diagonal)) continue;
    for (int64_t i = j + 1; i < rows; ++i) {
      const auto factor = numbers.divide(a(i, j), diagonal);
      a(i, j) = factor;
      numbers.subtract_row(a, i, factor, j, j + 1, last);
    }
  }
}

// Columns b become those of x with t @ x = b, for a triangle with ones on its diagonal where `unit`.
template <class Numbers, class Triangle, class Matrix>
void substitute(Numbers& numbers, const Triangle& t, int64_t rows, bool upper, bool unit, Matrix& b, int64_t columns) {
  for (int64_t step = 0; step < rows; ++step) {
    const int64_t i = upper ? rows - 1 - step : step;
    for (int64_t j = upper ? i + 1 : 0; j < (upper ? rows : i); ++j) {
      numbers.subtract_row(b, i, t(i, j), j, 0, columns);
    }
    if (!unit) numbers.divide_row(b, i, t(i, i), columns);
  }
}

// The lower triangle of L with L @ L.T = a, in place; the upper one stays. fails(pivot) notes one that is not positive;
// where it is true nothing more is done, and the result is false.
template <class Numbers, class Matrix>
bool factor_positive(Numbers& numbers, Matrix& a, int64_t rows) {
  for (int64_t j = 0; j < rows; ++j) {
    auto diagonal = a(j, j);
    for (int64_t k = 0; k < j; ++k) diagonal = numbers.subtract(diagonal, numbers.multiply(a(j, k), a(j, k)));
    if (numbers.fails(diagonal)) return false;
    a(j, j) = numbers.sqrt(diagonal);
    for (int64_t i = j + 1; i < rows; ++i) {
      auto sum = a(i, j);
      for (int64_t k = 0; k < j; ++k) sum = numbers.subtract(sum, numbers.multiply(a(i, k), a(j, k)));
      a(i, j) = numbers.divide(sum, a(j, j));
    }
  }
  return true;
}

// The symmetric part of a, in place, and whether a is far from it: by more than a thousandth of its largest element.
template <class Numbers, class Matrix>
auto take_symmetric(Numbers& numbers, Matrix& a, int64_t rows) {
  auto largest = numbers.number(0.0), difference = numbers.number(0.0);
  const auto half = numbers.number(0.5);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      const auto below = a(i, j), above = a(j, i);
      largest = numbers.larger(largest, numbers.larger(numbers.abs(below), numbers.abs(above)));
      difference = numbers.larger(difference, numbers.abs(numbers.subtract(below, above)));
      // Halved first where the sum would overflow, and only there: half of a tiny number loses its last bit.
      const auto sum = numbers.add(below, above);
      const auto halves = numbers.add(numbers.multiply(below, half), numbers.multiply(above, half));
      a(i, j) = a(j, i) = numbers.choose(numbers.is_infinite(sum), halves, numbers.multiply(sum, half));
    }
  }
  return numbers.greater(difference, numbers.multiply(largest, numbers.number(1e-3)));
}

// The cofactors of two or three rows.
constexpr int64_t max_cofactor_rows = 3;
template <class Numbers, class From, class To>
void take_cofactors(Numbers& numbers, const From& a, int64_t rows, To& to) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < rows; ++j) {
      const int64_t below = (i + 1) % rows, last = (i + 2) % rows, right = (j + 1) % rows, end = (j + 2) % rows;
      if (rows == 2) {
        to(i, j) = i == j ? a(below, right) : numbers.subtract(numbers.number(0.0), a(below, right));
      } else {
        to(i, j) = numbers.subtract(numbers.multiply(a(below, right), a(last, end)),
                                    numbers.multiply(a(below, end), a(last, right)));
      }
    }
  }
}

// Numbers in memory.
template <class T>
struct PlainNumbers {
  static T number(double value) { return static_cast<T>(value); }
  static T add(T a, T b) { return a + b; }
  static T subtract(T a, T b) { return a - b; }
  static T multiply(T a, T b) { return a * b; }
  static T divide(T a, T b) { return a / b; }
  static T sqrt(T x) { return std::sqrt(x); }
  static T abs(T x) { return std::abs(x); }
  static T larger(T a, T b) { return a < b ? b : a; }
  static T choose(bool condition, T a, T b) { return condition ? a : b; }
  static bool is_infinite(T x) { return std::isinf(x); }
  static bool greater(T a, T b) { return a > b; }
  // From row i `factor` times row j, from column `first` to before `last`.
  template <class Matrix>
  static void subtract_row(const Matrix& a, int64_t i, T factor, int64_t j, int64_t first, int64_t last) {
    T* const row = &a(i, 0);
    const T* const other = &a(j, 0);
    for (int64_t k = first; k < last; ++k) row[k] -= factor * other[k];
  }
  template <class Matrix>
  static void divide_row(const Matrix& a, int64_t i, T divisor, int64_t columns) {
    T* const row = &a(i, 0);
    for (int64_t k = 0; k < columns; ++k) row[k] /= divisor;
  }
};

}  // namespace covec::kernels
