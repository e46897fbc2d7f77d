#include "stdlib/ops/contract/vocabulary.hpp"

#include <algorithm>
#include <array>

#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/handles.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/tensor/views.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

namespace {

// Numbers go into the call's rest, which costs no memory; only the empty list needs a tuple.
Value call_with_sizes(Builder& builder, const Entry& entry, Value x, std::span<Value> sizes) {
  Value args[2] = {std::move(x), sizes.empty() ? make_tuple({}) : Value()};
  return call(builder, entry, args, sizes);
}

Value call_with_shape(Builder& builder, const Entry& entry, Value x, const Shape& shape) {
  if (logical_type(x).shape == shape && may_stay(x, shape)) return x;
  std::array<Value, max_rank> sizes;
  return call_with_sizes(builder, entry, std::move(x), extents_of(builder, shape, sizes));
}

// The places of `longer` where an axis of size 1 stands that `shorter` lacks, when that is all they differ in.
bool spare_axes(const Shape& longer, const Shape& shorter, std::vector<Value>& places) {
  unsigned next = 0;
  for (unsigned i = 0; i < longer.rank(); ++i) {
    if (next < shorter.rank() && longer[i] == shorter[next]) {
      ++next;
    } else if (longer[i] == Dim(1)) {
      places.emplace_back(int64_t{i});
    } else {
      return false;
    }
  }
  return next == shorter.rank();
}

// Axes of size 1 come or go: said without sizes that only the run knows. Unbound where more changes.
Value reshape_by_axes(Builder& builder, Value& x, const Shape& shape) {
  const Shape from = logical_type(x).shape;
  std::vector<Value> places;
  const bool grows = shape.rank() > from.rank();
  if (shape.rank() == from.rank() || !spare_axes(grows ? shape : from, grows ? from : shape, places))
    return Value::unbound();
  Value args[] = {std::move(x), make_tuple(std::move(places))};
  return call(builder, grows ? handles().unsqueeze : handles().squeeze, args);
}

Value join(Builder& builder, const Entry& entry, std::span<Value> tensors, unsigned axis) {
  Value args[] = {Value(), static_cast<int64_t>(axis)};
  return call(builder, entry, args, tensors);
}

}  // namespace

bool may_stay(const Value& x, const Shape& shape) { return shape.empty() || !is_on_tape(x); }

Value reshape(Builder& builder, Value x, const Shape& shape) {
  if (!shape.known()) {
    Value result = reshape_by_axes(builder, x, shape);
    if (!result.is_unbound()) return result;
  } else if (x.is_numeric() && shape_of(x).elements() == shape.elements()) {
    return reshape_value(builder.pool(), std::move(x), shape);
  }
  return call_with_shape(builder, handles().reshape, std::move(x), shape);
}

Dim elements_of(ShapeBuilder& shapes, const Shape& shape) {
  Dim elements(1);
  for (const Dim dim : shape) elements = shapes.multiply(elements, dim);
  return elements;
}

Value flatten(Builder& builder, Value x) {
  const Dim elements = elements_of(builder, logical_type(x).shape);
  return reshape(builder, std::move(x), {elements});
}

Value broadcast_to(Builder& builder, Value x, const Shape& shape) {
  if (x.is_scalar() && shape.known()) return broadcast_value(builder.pool(), x, shape);
  return call_with_shape(builder, handles().broadcast_to, std::move(x), shape);
}

Value sum_to(Builder& builder, Value x, const Shape& shape) {
  return call_with_shape(builder, handles().sum_to, std::move(x), shape);
}

Value permute(Builder& builder, Value x, std::span<const unsigned> axes) {
  if (x.is_numeric()) return permute_value(x, axes);
  std::array<Value, max_rank> numbers;
  bool moves = false;
  for (unsigned i = 0; i < axes.size(); ++i) {
    numbers[i] = Value(static_cast<int64_t>(axes[i]));
    moves |= axes[i] != i;
  }
  if (!moves) return x;
  return call_with_sizes(builder, handles().permute, std::move(x), {numbers.data(), axes.size()});
}

Value move_axis_to_front(Builder& builder, Value x, unsigned axis) {
  std::array<unsigned, max_rank> axes;
  const unsigned rank = logical_type(x).shape.rank();
  axes[0] = axis;
  for (unsigned i = 1; i < rank; ++i) axes[i] = i <= axis ? i - 1 : i;
  return permute(builder, std::move(x), {axes.data(), rank});
}

Value narrow(Builder& builder, Value x, unsigned axis, Dim start, Dim size) {
  Value args[] = {std::move(x), static_cast<int64_t>(axis), builder.extent(start), builder.extent(size)};
  return call(builder, handles().narrow, args);
}

Value unsqueeze(Builder& builder, Value x, unsigned axis) {
  Shape shape = logical_type(x).shape;
  shape.insert(axis, Dim(1));
  return reshape(builder, std::move(x), shape);
}

Value concat(Builder& builder, std::span<Value> tensors, unsigned axis) {
  return join(builder, handles().concat, tensors, axis);
}

Value stack(Builder& builder, std::span<Value> tensors, unsigned axis) {
  return join(builder, handles().stack, tensors, axis);
}

Value stack_examples(Builder& builder, std::span<Value> tensors, std::string_view what) {
  Value args[] = {Value(), Value(int64_t{0}), make_string(std::string(what))};
  return call(builder, handles().stack_examples, args, tensors);
}

Value fit_examples(Builder& builder, Value x, unsigned leading, const Shape& shape) {
  Value args[] = {std::move(x), int64_t{leading}, shape.empty() ? make_tuple({}) : Value()};
  std::array<Value, max_rank> sizes;
  return call(builder, handles().fit_to, args, extents_of(builder, shape, sizes));
}
Value fit_to(Builder& builder, Value x, const Shape& shape) { return fit_examples(builder, std::move(x), 0, shape); }

Value expect_shape(Builder& builder, Value x, std::string_view what, const Type& type) {
  Value args[] = {std::move(x), make_string(std::string(what)), make_string(std::string(name_of(type.dtype))),
                  type.shape.empty() ? make_tuple({}) : Value()};
  std::array<Value, max_rank> sizes;
  return call(builder, handles().expect_shape, args, extents_of(builder, type.shape, sizes));
}

Value zeros(Builder& builder, const Type& type) {
  std::array<Value, max_rank> sizes;
  Value args[] = {Value(), type.dtype == Dtype::f64 ? Value() : function_of(cast_entry(type.dtype))};
  return call(builder, handles().zeros, args, extents_of(builder, type.shape, sizes));
}

Value matmul(Builder& builder, Value a, Value b) {
  Value args[] = {std::move(a), std::move(b)};
  return call(builder, handles().matmul, args);
}

Value diagonal(Builder& builder, Value x, Value k) {
  return call(builder, handles().diagonal, {std::move(x), std::move(k)});
}

Value index_read(Builder& builder, Value x, const Value& spec, std::span<const Value> items) {
  std::array<Value, 3 * IndexSpec::max_items> copies;
  std::copy(items.begin(), items.end(), copies.begin());
  Value args[] = {std::move(x), spec};
  return call(builder, handles().index_read, args, {copies.data(), items.size()});
}

const Entry& cast_entry(Dtype to) { return *handles().casts[static_cast<size_t>(to)]; }

// --- for batch rules ---

Type example_type(const Call& call, unsigned operand, const Batching& batching) {
  Type type = operand_type(call, operand);
  if (batching.batched[operand]) type.shape.erase(0);
  return type;
}

Value with_batch_axis(Builder& builder, Value x, bool batched, Dim size) {
  if (batched) return x;
  Shape shape = logical_type(x).shape;
  shape.insert(0, size);
  return broadcast_to(builder, std::move(x), shape);
}

Value align_batch(Builder& builder, Value x, unsigned rank) {
  Shape shape = logical_type(x).shape;
  while (shape.rank() < rank + 1) shape.insert(1, Dim(1));
  return reshape(builder, std::move(x), shape);
}

Value broadcast_batch(Builder& builder, Call& call, const Batching& batching) {
  unsigned rank = 0;
  for (unsigned i = 0; i < call.args.size(); ++i) rank = std::max(rank, example_type(call, i, batching).shape.rank());
  for (unsigned i = 0; i < call.args.size(); ++i) {
    if (batching.batched[i]) call.args[i] = align_batch(builder, std::move(call.args[i]), rank);
  }
  return ops::call(builder, call.entry, call.args);
}

// --- ranges ---

Value numbers_of(Builder& b, const Range& range) {
  return call(b, handles().arange, {Value(range.start), Value(range.stop), Value(range.stride), Value()});
}
Value numbers_of(Builder& b, const SymbolicRange& range) {
  return call(b, handles().arange, {range.start, range.stop, Value(range.stride), Value()});
}

namespace {

// `whole` below is how often the size goes into the bounds, `rest` what is left: nothing here can overflow.
Value steps_between(Builder& b, const Value& from, const Value& to, int64_t size) {
  const auto whole = [&](const Value& bound) { return call(b, handles().floor_divide, {bound, Value(size)}); };
  const Value first = whole(from), last = whole(to);
  const auto rest = [&](const Value& bound, const Value& times) {
    return call(b, handles().subtract, {bound, call(b, handles().multiply, {times, Value(size)})});
  };
  const Value more = call(b, handles().greater, {rest(to, last), rest(from, first)});
  const Value one = call(b, handles().where, {more, Value(int64_t{1}), Value(int64_t{0})});
  return call(b, handles().add, {call(b, handles().subtract, {last, first}), one});
}

}  // namespace

// The numbers between the bounds over the step, rounded up; INT64_MAX where there are more.
Value range_length(Builder& b, const SymbolicRange& range) {
  const int64_t stride = range.stride;
  const bool up = stride > 0;
  const Value &from = up ? range.start : range.stop, &to = up ? range.stop : range.start;
  const bool from_zero = is_integer(from) && integer_of(from) == 0;
  if (from_zero && stride == 1 && b.is_extent(to)) return to;
  if (stride == INT64_MIN) fail_not_staged("the length of a range");
  const int64_t size = up ? stride : -stride;
  if (size != 1) return call(b, handles().maximum, {steps_between(b, from, to, size), Value(int64_t{0})});
  if (from_zero) return call(b, handles().maximum, {to, Value(int64_t{0})});
  const Value distance = call(b, handles().subtract, {to, from});
  const Value wraps = call(b, handles().less, {distance, Value(int64_t{0})});
  const Value length = call(b, handles().where, {wraps, Value(INT64_MAX), distance});
  return call(b, handles().where, {call(b, handles().less, {from, to}), length, Value(int64_t{0})});
}

}  // namespace covec::ops
