// Sparse matrices as SciPy's save_npz writes them: a .npz archive with the arrays data, indices, indptr and shape, and
// the text `format`: csr, csc or coo, which has row and col in place of indices and indptr.
#pragma once

#include <string>

#include "stdlib/files/atomic.hpp"
#include "stdlib/files/file.hpp"
#include "stdlib/value/value.hpp"

namespace covec::files {

struct SparseArrays {
  std::string format;
  Value data;             // numbers
  Value indices, indptr;  // integers; of coo the rows and columns
  int64_t height, width;
};
// The arrays fit: their lengths agree, and all indices lie in the matrix.
SparseArrays read_sparse_npz(const File& file);
void write_sparse_npz(AtomicFile& file, Pool& pool, const SparseArrays& matrix);

}  // namespace covec::files
