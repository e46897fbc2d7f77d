// Products of sparse matrices. Each element of a result is one sum, in the order of the matrix's rows and of the
// columns in a row, whoever makes it: bits depend neither on threads nor on the processor. Products are rounded before
// they are added. Each function gives false where the pattern is not sound, and has then written what does not matter.
#pragma once

#include <cstdint>

#include "stdlib/sparse/csr.hpp"

namespace covec::sparse {

// Which factors stand for cotangents: where one is ±0, a term is 0, whatever the other factor is.
struct Zeros {
  bool left = false, right = false;
};

// A sparse matrix times a dense one of `width` columns, row-major; or the transposed matrix times it.
template <class T>
struct DenseProduct {
  Pattern pattern;
  const T* values;
  const T* x;
  T* result;
  int64_t width;
  bool transposed;
  Zeros zeros;  // left: values, right: x
};
bool multiply(ops::Context& context, const DenseProduct<float>& product);
bool multiply(ops::Context& context, const DenseProduct<double>& product);

// The elements of a·bᵀ at the nonzeros of a pattern: a has its rows, b its columns, and both `width` columns.
template <class T>
struct SampledProduct {
  Pattern pattern;
  const T* a;
  const T* b;
  T* values;
  int64_t width;
  Zeros zeros;
};
bool sample(ops::Context& context, const SampledProduct<float>& product);
bool sample(ops::Context& context, const SampledProduct<double>& product);

}  // namespace covec::sparse
