// Sparse matrices in the language: a record {data, indices, indptr, shape} in CSR. `shape` is a tuple of two extents;
// the other fields are tensors, or what stands for them while a derivative, a vmap or the compiler is at work.
#pragma once

#include <string>

#include "stdlib/value/value.hpp"

namespace covec {

struct SparseRecord {
  const Value& data;
  const Value& indices;
  const Value& indptr;
  const Value& rows;
  const Value& columns;
  // Of a value for which is_sparse_matrix holds.
  explicit SparseRecord(const Value& value);
  std::string text() const;  // "sparse f64[3, 4]", "sparse f64" where only the run knows the extents
};

// Whether a value is a record of exactly these fields, and they are of these kinds.
bool is_sparse_matrix(const Value& value);
// The same of one whose data are complex, which no operator takes.
bool is_complex_sparse_matrix(const Value& value);

}  // namespace covec
