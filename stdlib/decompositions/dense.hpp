// Dense row-major matrices for factorizations: submatrices in place, own memory from the session's pool, and products
// in the order and with the kernels of gemm.hpp.
#pragma once

#include "stdlib/decompositions/dense_rows.hpp"
#include "stdlib/kernels/gemm.hpp"
#include "stdlib/tensor/scratch.hpp"
#include "stdlib/value/context.hpp"

namespace covec::kernels {

// Rows are adjacent elements, `stride` apart. T is float or double.
template <class T>
struct Dense {
  T* at;
  int64_t rows, columns, stride;
  T& operator()(int64_t i, int64_t j) const { return at[i * stride + j]; }
  T* row(int64_t i) const { return at + i * stride; }
  Dense part(int64_t row, int64_t column, int64_t height, int64_t width) const {
    return {at + row * stride + column, height, width, stride};
  }
  Dense from(int64_t row, int64_t column) const { return part(row, column, rows - row, columns - column); }
};

// A matrix of zeros of one's own, or of whatever its memory held.
template <class T>
class Grid {
 public:
  Grid(ops::Context& context, int64_t rows, int64_t columns);
  static Grid unset(ops::Context& context, int64_t rows, int64_t columns) { return {context, rows, columns, Unset()}; }
  Dense<T> all() const { return {memory_.as<T>(), rows_, columns_, columns_}; }
  T* row(int64_t i) const { return memory_.as<T>() + i * columns_; }

 private:
  struct Unset {};
  Grid(ops::Context& context, int64_t rows, int64_t columns, Unset)
      : memory_(*context.pool, static_cast<uint64_t>(rows * columns) * sizeof(T)), rows_(rows), columns_(columns) {}

  Scratch memory_;
  int64_t rows_, columns_;
};

template <class T>
Matrix matrix(Dense<T> a) {
  return {reinterpret_cast<const std::byte*>(a.at), a.stride, 1};
}
template <class T>
Matrix transposed(Dense<T> a) {
  return {reinterpret_cast<const std::byte*>(a.at), 1, a.stride};
}

// c = a·b and c −= a·b, with k terms.
template <class T>
void assign_product(ops::Context& context, Dense<T> c, Matrix a, Matrix b, int64_t k);
template <class T>
void subtract_product(ops::Context& context, Dense<T> c, Matrix a, Matrix b, int64_t k);

// to = x·a, of k adjacent numbers n.
template <class T>
void assign_row(ops::Context& context, T* to, int64_t n, const T* x, int64_t k, Matrix a);

template <class T>
void copy(Dense<T> to, Dense<T> from);
template <class T>
void copy_transposed(Dense<T> to, Dense<T> from);
template <class T>
void set_identity(Dense<T> a);

// Of the context's instruction set.
template <class T>
const DenseRows<T>& dense_rows_for(const ops::Context& context);

// Of n adjacent numbers: x·y in a fixed order, y += factor·x, x *= factor, the largest magnitude (NaN where there is
// one).
template <class T>
T dot(const T* x, const T* y, int64_t n);
template <class T>
void add_scaled(T* y, T factor, const T* x, int64_t n);
template <class T>
void scale(T* x, T factor, int64_t n);
template <class T>
T largest_magnitude(const T* x, int64_t n);

}  // namespace covec::kernels
