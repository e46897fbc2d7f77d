#include "stdlib/sparse/products.hpp"

#include <algorithm>

#include "stdlib/kernels/interrupt_polls.hpp"
#include "stdlib/kernels/parallel.hpp"

namespace covec::sparse {

namespace {

template <class T, bool guards>
T term(T a, T b, Zeros zeros) {
  if constexpr (guards) {
    if ((zeros.left && a == T(0)) || (zeros.right && b == T(0))) return T(0);
  }
  return a * b;
}

// One row of the product with a vector.
template <class T, bool guards>
bool row_times_vector(const DenseProduct<T>& product, int64_t row) {
  const Pattern& pattern = product.pattern;
  T sum(0);
  int64_t previous = -1;
  const int64_t end = pattern.starts[row + 1];
  for (int64_t p = pattern.starts[row]; p < end; ++p) {
    if (!pattern.has_index(p, previous)) return false;
    previous = pattern.indices[p];
    sum += term<T, guards>(product.values[p], product.x[previous], product.zeros);
  }
  product.result[row] = sum;
  return true;
}

template <class T, bool guards>
void add_row(T* __restrict to, T factor, const T* __restrict row, int64_t width, Zeros zeros) {
  for (int64_t k = 0; k < width; ++k) to[k] += term<T, guards>(factor, row[k], zeros);
}

template <class T, bool guards>
bool row_times_matrix(const DenseProduct<T>& product, int64_t row) {
  const Pattern& pattern = product.pattern;
  T* sums = product.result + row * product.width;
  std::fill_n(sums, product.width, T(0));
  int64_t previous = -1;
  for (int64_t p = pattern.starts[row]; p < pattern.starts[row + 1]; ++p) {
    if (!pattern.has_index(p, previous)) return false;
    previous = pattern.indices[p];
    add_row<T, guards>(sums, product.values[p], product.x + previous * product.width, product.width, product.zeros);
  }
  return true;
}

template <class T, bool guards>
bool rows_times(ops::Context& context, const DenseProduct<T>& product) {
  kernels::LowestIndex wrong;
  kernels::parallel_for(
      context, product.pattern.rows, rows_of_piece(product.pattern, product.width), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          const bool sound =
              product.pattern.has_row(row) && (product.width == 1 ? row_times_vector<T, guards>(product, row)
                                                                  : row_times_matrix<T, guards>(product, row));
          if (!sound) return wrong.report(row);
        }
      });
  return wrong.value() < 0;
}

// Rows of x go where their columns say, one row after the other: a thread alone keeps the order.
template <class T, bool guards>
bool transposed_times(ops::Context& context, const DenseProduct<T>& product) {
  const Pattern& pattern = product.pattern;
  std::fill_n(product.result, pattern.columns * product.width, T(0));
  kernels::InterruptPolls polls(context);
  for (int64_t row = 0; row < pattern.rows; ++row) {
    if (!pattern.has_row(row)) return false;
    if (polls.stop((pattern.starts[row + 1] - pattern.starts[row] + 1) * product.width)) break;
    const T* from = product.x + row * product.width;
    int64_t previous = -1;
    for (int64_t p = pattern.starts[row]; p < pattern.starts[row + 1]; ++p) {
      if (!pattern.has_index(p, previous)) return false;
      previous = pattern.indices[p];
      add_row<T, guards>(product.result + previous * product.width, product.values[p], from, product.width,
                         product.zeros);
    }
  }
  kernels::poll_interrupt(context);
  return true;
}

template <class T, bool guards>
bool multiply_with(ops::Context& context, const DenseProduct<T>& product) {
  if (!product.pattern.covers()) return false;
  return product.transposed ? transposed_times<T, guards>(context, product) : rows_times<T, guards>(context, product);
}

template <class T>
bool multiply_of(ops::Context& context, const DenseProduct<T>& product) {
  const bool guards = product.zeros.left || product.zeros.right;
  return guards ? multiply_with<T, true>(context, product) : multiply_with<T, false>(context, product);
}

template <class T, bool guards>
T dot(const T* a, const T* b, int64_t width, Zeros zeros) {
  T sum(0);
  for (int64_t k = 0; k < width; ++k) sum += term<T, guards>(a[k], b[k], zeros);
  return sum;
}

template <class T, bool guards>
bool sample_row(const SampledProduct<T>& product, int64_t row) {
  const Pattern& pattern = product.pattern;
  if (!pattern.has_row(row)) return false;
  const T* a = product.a + row * product.width;
  int64_t previous = -1;
  for (int64_t p = pattern.starts[row]; p < pattern.starts[row + 1]; ++p) {
    if (!pattern.has_index(p, previous)) return false;
    previous = pattern.indices[p];
    product.values[p] = dot<T, guards>(a, product.b + previous * product.width, product.width, product.zeros);
  }
  return true;
}

template <class T, bool guards>
bool sample_with(ops::Context& context, const SampledProduct<T>& product) {
  if (!product.pattern.covers()) return false;
  kernels::LowestIndex wrong;
  kernels::parallel_for(context, product.pattern.rows, rows_of_piece(product.pattern, product.width),
                        [&](int64_t begin, int64_t end) {
                          for (int64_t row = begin; row < end; ++row) {
                            if (!sample_row<T, guards>(product, row)) return wrong.report(row);
                          }
                        });
  return wrong.value() < 0;
}

template <class T>
bool sample_of(ops::Context& context, const SampledProduct<T>& product) {
  const bool guards = product.zeros.left || product.zeros.right;
  return guards ? sample_with<T, true>(context, product) : sample_with<T, false>(context, product);
}

}  // namespace

bool multiply(ops::Context& context, const DenseProduct<float>& product) { return multiply_of(context, product); }
bool multiply(ops::Context& context, const DenseProduct<double>& product) { return multiply_of(context, product); }
bool sample(ops::Context& context, const SampledProduct<float>& product) { return sample_of(context, product); }
bool sample(ops::Context& context, const SampledProduct<double>& product) { return sample_of(context, product); }

}  // namespace covec::sparse
