// Makes tensors from the host's memory, in place or copied. Start at Layout, then `wrong_with`, which says what a host
// must not pass, and `share`.
#pragma once

#include <string_view>

#include "interpreter/host/state.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::embedding {

struct Layout {
  Dtype dtype;
  unsigned rank;
  const int64_t* dims;
  const int64_t* strides;  // in elements; null: row-major
  const void* data;        // the element with all indices 0
};

bool is_dtype(covec_dtype dtype);
// Empty where nothing is wrong. Looks at every bool.
std::string_view wrong_with(const Layout& layout);
Layout layout_of(const Value& value);  // of a number or tensor
bool is_row_major(const Layout& layout);
// Without a copy, but of rank 0 and where the elements are a small part of the memory that they lie in (Tensor::view).
// `shared` is handed over, where there is one, unless this throws.
Value share(covec_session& session, const Layout& layout, std::unique_ptr<SharedMemory> shared);
// Its elements in row-major order.
void copy_elements(const Layout& layout, void* to);
// Real and imaginary parts in turn, in row-major order.
void join_complex(Pool& pool, const Complex& z, void* to);

}  // namespace covec::embedding
