// Products of two sparse matrices, row by row (Gustavson, 1978), on patterns that are sound. The pattern of a product
// is found first; then its numbers, which are sums in the order of the left matrix's columns. The numbers may be asked
// for at any pattern: so the derivatives of a product are products again. One thread does it.
#pragma once

#include <cstdint>

#include "stdlib/sparse/csr.hpp"
#include "stdlib/sparse/products.hpp"
#include "stdlib/tensor/scratch.hpp"

namespace covec::sparse {

// Where the rows of a·b begin, a.rows + 1 numbers; and its columns, starts[a.rows] of them.
void find_starts(ops::Context& context, const Pattern& a, const Pattern& b, int64_t* starts);
void find_indices(ops::Context& context, const Pattern& a, const Pattern& b, const int64_t* starts, int64_t* indices);

template <class T>
struct Factor {
  Pattern pattern;
  const T* values;
  bool transposed;
};

// The elements of a·b at the nonzeros of a pattern.
template <class T>
struct MaskedProduct {
  Factor<T> a, b;
  Pattern pattern;
  T* values;
  Zeros zeros;
};
void multiply(ops::Context& context, const MaskedProduct<float>& product);
void multiply(ops::Context& context, const MaskedProduct<double>& product);

// The transposed pattern, and where each of its numbers stands in the given one.
struct Transposed {
  Transposed(Pool& pool, const Pattern& pattern);
  Pattern pattern() const;
  const int64_t* places() const;

 private:
  int64_t rows_, columns_, count_;
  Scratch room_;
};

}  // namespace covec::sparse
