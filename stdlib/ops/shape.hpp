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

Value reshape(Builder& builder, Value x, const Shape& shape);
Value permute(Builder& builder, Value x, std::span<const unsigned> axes);
Value move_axis_to_front(Builder& builder, Value x, unsigned axis);
Value broadcast_to(Builder& builder, Value x, const Shape& shape);
Value sum_to(Builder& builder, Value x, const Shape& shape);
Value narrow(Builder& builder, Value x, unsigned axis, int64_t start, int64_t size);
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
