// Shows the elements of a number or tensor in another shape, with other axes, or repeated. The result is a view if
// strides can express it, else a copy.
#pragma once

#include <span>

#include "stdlib/tensor/tensor.hpp"

namespace covec {

// A view of tensor `x` that starts `offset` elements further.
Value view_at(const Value& x, int64_t offset, const Shape& shape, const int64_t* strides);

// Another shape for the elements of a number or tensor; there must be as many.
Value reshape_value(Pool& pool, Value x, const Shape& shape);

// Result axis i is operand axis axes[i]; the axes must be a permutation of x's.
Value permute_value(const Value& x, std::span<const unsigned> axes);

// Repeated to fill a shape that it broadcasts to.
Value broadcast_value(Pool& pool, const Value& x, const Shape& shape);

// Writes an element of `size` bytes (1, 4 or 8), or a number, `bytes` / its size times.
void fill_elements(std::byte* to, size_t bytes, const void* element, size_t size);
void fill_elements(std::byte* to, size_t bytes, const Value& number);

}  // namespace covec
