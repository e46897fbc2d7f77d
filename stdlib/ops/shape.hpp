// The shape family: what rearranges elements and computes nothing. Results are views where the layout allows. The
// entries that other code needs, and the same as C++ functions (which skip the operator when it would change nothing).
#pragma once

#include <span>

#include "stdlib/ops/entry.hpp"

namespace covec::ops {

const Entry& reshape_entry();       // (x, *shape)
const Entry& transpose_entry();     // (x, *axes): reversed when there are none
const Entry& permute_entry();       // (x, *axes)
const Entry& squeeze_entry();       // (x, axis=none)
const Entry& unsqueeze_entry();     // (x, axis)
const Entry& flip_entry();          // (x, axis=none)
const Entry& broadcast_to_entry();  // (x, *shape)
const Entry& sum_to_entry();        // (x, *shape)
const Entry& concat_entry();        // (tensors, axis=0)
const Entry& stack_entry();         // (tensors, axis=0)
const Entry& narrow_entry();        // (x, axis, start, size): x[start:start+size] along an axis
const Entry& widen_entry();         // (x, axis, start, size): its transpose, zeros around x
// Of tensors whose sizes only the run knows:
const Entry& fit_to_entry();        // (x, leading, *shape): summed to a shape, or broadcast to it, whichever fits
const Entry& expect_shape_entry();  // (x, what, *shape): x, which must have that shape
const Entry& expect_row_entry();    // (row, first, number): a row of a literal, which must have the first's shape
const Entry& expect_size_entry();   // (size, other, what, name, other_name): numbers of examples, which must agree

// Whether x, which has this shape, is itself what it would be reshaped, summed or broadcast to. Not on a tape: a
// compiler that does not know the shape applies the operator, and one that is not applied would have its cotangents
// added in another order.
bool may_stay(const Value& x, const Shape& shape);
Value reshape(Builder& builder, Value x, const Shape& shape);
Value flatten(Builder& builder, Value x);  // of rank 1: all elements, row by row
Value permute(Builder& builder, Value x, std::span<const unsigned> axes);
Value move_axis_to_front(Builder& builder, Value x, unsigned axis);
Value broadcast_to(Builder& builder, Value x, const Shape& shape);
Value sum_to(Builder& builder, Value x, const Shape& shape);
// NumPy's rule, where sizes are known: equal, or 1 in `from`, or missing in front.
bool broadcasts_to(const Shape& from, const Shape& to);
// What autodiff's sum_into does, decided when the sizes are known; and the same of each example, `leading` axes of
// them.
Value fit_to(Builder& builder, Value x, const Shape& shape);
Value fit_examples(Builder& builder, Value x, unsigned leading, const Shape& shape);
Value expect_shape(Builder& builder, Value x, std::string_view what, const Type& type);
Value narrow(Builder& builder, Value x, unsigned axis, Dim start, Dim size);
Value unsqueeze(Builder& builder, Value x, unsigned axis);
Value concat(Builder& builder, std::span<Value> tensors, unsigned axis);
Value stack(Builder& builder, std::span<Value> tensors, unsigned axis);

// For batch rules: operand i's type without its batch axis, and x with the batch axis in front (broadcast when it has
// none).
Type example_type(const Call& call, unsigned operand, const Batching& batching);
Value with_batch_axis(Builder& builder, Value x, bool batched, int64_t size);
// A batch whose examples have rank `rank`: axes of size 1 are put after the batch axis, so that it broadcasts from the
// right.
Value align_batch(Builder& builder, Value x, unsigned rank);

}  // namespace covec::ops
