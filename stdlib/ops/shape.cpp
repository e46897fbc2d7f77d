// The shape family's list, and its operators as C++ functions for rules and other families.
#include "stdlib/ops/shape.hpp"

#include <algorithm>
#include <array>

#include "stdlib/ops/attributes.hpp"
#include "stdlib/ops/families.hpp"
#include "stdlib/ops/shape_compose.hpp"
#include "stdlib/ops/shape_gather.hpp"
#include "stdlib/ops/shape_move.hpp"
#include "stdlib/ops/shape_parts.hpp"
#include "stdlib/ops/sort.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/value/traced.hpp"
#include "stdlib/value/tree.hpp"

namespace covec::ops {

Value view_at(const Value& x, int64_t offset, const Shape& shape, const int64_t* strides) {
  Tensor& tensor = x.tensor();
  std::byte* data = tensor.data() + offset * static_cast<int64_t>(size_of(tensor.dtype()));
  return Tensor::view(x, data, shape, {strides, shape.rank()});
}

uint32_t axis_set(const Call& call, unsigned operand, unsigned rank) {
  uint32_t set = 0;
  for (int64_t axis : integers_argument(call, operand)) {
    const unsigned normal = normal_axis(call, axis, rank);
    if (set & (1u << normal)) fail(message("axis_repeated"), {std::string(call.entry.name), std::to_string(axis)});
    set |= 1u << normal;
  }
  return set;
}

Value reshape_value(Pool& pool, Value x, const Shape& shape) {
  if (x.is_scalar()) {
    if (shape.rank() == 0) return x;
    Value result = make_tensor(pool, x.scalar_dtype(), shape);
    std::memcpy(result.tensor().data(), x.scalar_data(), size_of(x.scalar_dtype()));
    return result;
  }
  if (shape == x.tensor().shape()) return x;
  const Value whole = contiguous(pool, x);
  if (shape.rank() == 0) return Value::scalar(whole.tensor().dtype(), whole.tensor().data());
  std::array<int64_t, max_rank> strides;
  uint64_t step = 1;
  for (unsigned i = shape.rank(); i-- > 0; step *= static_cast<uint64_t>(shape[i].number())) {
    strides[i] = static_cast<int64_t>(step);
  }
  return view_at(whole, 0, shape, strides.data());
}

// Twice as much each time.
void fill_elements(std::byte* to, size_t bytes, const Value& number) {
  if (bytes == 0) return;
  size_t done = size_of(number.scalar_dtype());
  std::memcpy(to, number.scalar_data(), done);
  for (; done < bytes; done *= 2) std::memcpy(to + done, to, std::min(done, bytes - done));
}

// --- applying the entries: what is no wrapped value is computed at once ---

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
  return call(builder, grows ? unsqueeze_entry() : squeeze_entry(), args);
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
  return call_with_shape(builder, reshape_entry(), std::move(x), shape);
}

Value flatten(Builder& builder, Value x) {
  Dim elements(1);
  for (Dim dim : logical_type(x).shape) elements = builder.multiply(elements, dim);
  return reshape(builder, std::move(x), {elements});
}

Value broadcast_to(Builder& builder, Value x, const Shape& shape) {
  if (x.is_scalar() && shape.known()) return broadcast_value(builder.pool(), x, shape);
  return call_with_shape(builder, broadcast_to_entry(), std::move(x), shape);
}

Value sum_to(Builder& builder, Value x, const Shape& shape) {
  return call_with_shape(builder, sum_to_entry(), std::move(x), shape);
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
  return call_with_sizes(builder, permute_entry(), std::move(x), {numbers.data(), axes.size()});
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
  return call(builder, narrow_entry(), args);
}

Value unsqueeze(Builder& builder, Value x, unsigned axis) {
  Shape shape = logical_type(x).shape;
  shape.insert(axis, Dim(1));
  return reshape(builder, std::move(x), shape);
}

Value concat(Builder& builder, std::span<Value> tensors, unsigned axis) {
  return join(builder, concat_entry(), tensors, axis);
}

Value stack(Builder& builder, std::span<Value> tensors, unsigned axis) {
  return join(builder, stack_entry(), tensors, axis);
}

// --- for batch rules ---

Type example_type(const Call& call, unsigned operand, const Batching& batching) {
  Type type = operand_type(call, operand);
  if (batching.batched[operand]) type.shape.erase(0);
  return type;
}

Value with_batch_axis(Builder& builder, Value x, bool batched, int64_t size) {
  if (batched) return x;
  Shape shape = logical_type(x).shape;
  shape.insert(0, Dim(size));
  return broadcast_to(builder, std::move(x), shape);
}

Value align_batch(Builder& builder, Value x, unsigned rank) {
  Shape shape = logical_type(x).shape;
  while (shape.rank() < rank + 1) shape.insert(1, Dim(1));
  return reshape(builder, std::move(x), shape);
}

Family shape_family() {
  static const Entry* const entries[] = {
      &reshape_entry(),      &transpose_entry(),
      &permute_entry(),      &squeeze_entry(),
      &unsqueeze_entry(),    &flip_entry(),
      &broadcast_to_entry(), &sum_to_entry(),
      &concat_entry(),       &stack_entry(),
      &split_entry(),        &tile_entry(),
      &repeat_entry(),       &expect_count_entry(),
      &narrow_entry(),       &widen_entry(),
      &fit_to_entry(),       &expect_shape_entry(),
      &expect_size_entry(),  &expect_row_entry(),
      &sort_entry(),         &argsort_entry(),
      &topk_entry(),         &searchsorted_entry(),
      &unique_entry(),       &first_positions_entry(),
      &search_rows_entry(),  &starts_entry(),
      &gather_entry(),       &scatter_add_entry(),
      &one_hot_entry(),      &roll_entry(),
      &roll_axis_entry(),    &pad_entry(),
      &rim_entry(),
  };
  return entries;
}

}  // namespace covec::ops
