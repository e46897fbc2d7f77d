// Operators as C++ functions, for rules, engines and other families. Each applies the operator of its name. It skips
// the operator if it would change nothing or the operands are plain numbers.
#pragma once

#include <span>

#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/contract/rules.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

// Whether x, which has this shape, is itself what it would be reshaped, summed or broadcast to. Not on a tape: a
// compiler that does not know the shape applies the operator, and one that is not applied would have its cotangents
// added in another order.
bool may_stay(const Value& x, const Shape& shape);
Value reshape(Builder& builder, Value x, const Shape& shape);
Dim elements_of(ShapeBuilder& shapes, const Shape& shape);  // how many there are
Value flatten(Builder& builder, Value x);                   // of rank 1: all elements, row by row
Value permute(Builder& builder, Value x, std::span<const unsigned> axes);
Value move_axis_to_front(Builder& builder, Value x, unsigned axis);
Value broadcast_to(Builder& builder, Value x, const Shape& shape);
Value sum_to(Builder& builder, Value x, const Shape& shape);
// What autodiff's sum_into does, decided when the sizes are known; and the same of each example, `leading` axes of
// them.
Value fit_to(Builder& builder, Value x, const Shape& shape);
Value fit_examples(Builder& builder, Value x, unsigned leading, const Shape& shape);
Value expect_shape(Builder& builder, Value x, std::string_view what, const Type& type);
Value narrow(Builder& builder, Value x, unsigned axis, Dim start, Dim size);
Value unsqueeze(Builder& builder, Value x, unsigned axis);
Value concat(Builder& builder, std::span<Value> tensors, unsigned axis);
Value stack(Builder& builder, std::span<Value> tensors, unsigned axis);
// What a function gives for examples, along a new first axis; where they differ "{what}: example 1 gives …" is said.
Value stack_examples(Builder& builder, std::span<Value> tensors, std::string_view what);
Value zeros(Builder& builder, const Type& type);
Value matmul(Builder& builder, Value a, Value b);
Value diagonal(Builder& builder, Value x, Value k);
// x[items]; `spec` is an IndexSpec, packed.
Value index_read(Builder& builder, Value x, const Value& spec, std::span<const Value> items);
// The numbers of a range as a tensor, as arange gives them.
Value numbers_of(Builder& builder, const Range& range);
Value numbers_of(Builder& builder, const SymbolicRange& range);
// How many numbers a range goes through, as an i64.
Value range_length(Builder& builder, const SymbolicRange& range);

// For batch rules: operand i's type without its batch axis, and x with the batch axis in front (broadcast when it has
// none).
Type example_type(const Call& call, unsigned operand, const Batching& batching);
Value with_batch_axis(Builder& builder, Value x, bool batched, Dim size);
// A batch whose examples have rank `rank`: axes of size 1 are put after the batch axis, so that it broadcasts from the
// right.
Value align_batch(Builder& builder, Value x, unsigned rank);
// The batch rule of an operator whose operands broadcast: examples of different ranks do so from the right.
Value broadcast_batch(Builder& builder, Call& call, const Batching& batching);

}  // namespace covec::ops
