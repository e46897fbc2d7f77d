// What the files of the shape family share.
#pragma once

#include "stdlib/ops/entry.hpp"

namespace covec::ops {

// A view of tensor `x` that starts `offset` elements further.
Value view_at(const Value& x, int64_t offset, const Shape& shape, const int64_t* strides);

// The axes that an attribute names, as bits; one given twice is an error.
uint32_t axis_set(const Call& call, unsigned operand, unsigned rank);

// Another shape for the elements of a number or tensor; there must be as many.
Value reshape_value(Pool& pool, Value x, const Shape& shape);

// Result axis i is operand axis axes[i]; the axes must be a permutation of x's.
Value permute_value(const Value& x, std::span<const unsigned> axes);

// Repeated to fill a shape that it broadcasts to.
Value broadcast_value(Pool& pool, const Value& x, const Shape& shape);

// Writes a number `bytes` / its size times.
void fill_elements(std::byte* to, size_t bytes, const Value& number);

// Every example summed to a shape that broadcasts to its own; the examples lie along the first `leading` axes. The
// sum's axes of size 1 are gone.
Value sum_examples_to(Builder& builder, Value x, const Type& example, const Shape& to, unsigned leading);

}  // namespace covec::ops
