// Reads x[items]. Integers and slices give a number or a view. Tensors of integers and masks gather into a new tensor,
// on all threads if it is large. The forms that loops use, x[i] and x[i, j], come first.
#include <algorithm>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/contract/index_spec.hpp"
#include "stdlib/ops/contract/vocabulary.hpp"
#include "stdlib/ops/index/eager.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/ops/index/plan.hpp"
#include "stdlib/ops/index/walk.hpp"
#include "stdlib/tensor/views.hpp"

namespace covec::ops {

namespace {

constexpr int64_t parallel_bytes = 1 << 18;  // of the result in a piece for a thread

// x[i] of a vector or matrix, x[i, j] of a matrix, by numbers in range; unbound otherwise.
Value read_plain(const Value& x, int64_t spec, std::span<const Value> items) {
  const Tensor& tensor = x.tensor();
  int64_t offset;
  unsigned taken;
  if (spec == one_number && !items.empty() && is_integer(items[0])) {
    taken = 1;
    if (!plain_offset(tensor, 0, items[0], offset)) return Value::unbound();
  } else if (spec == two_numbers && tensor.rank() >= 2 && is_integer(items[0]) && is_integer(items[1])) {
    taken = 2;
    int64_t second;
    if (!plain_offset(tensor, 0, items[0], offset) || !plain_offset(tensor, 1, items[1], second))
      return Value::unbound();
    offset += second;
  } else {
    return Value::unbound();
  }
  if (tensor.rank() == taken)
    return Value::scalar(tensor.dtype(), tensor.data() + offset * static_cast<int64_t>(size_of(tensor.dtype())));
  const Shape shape(tensor.dims().data() + taken, tensor.rank() - taken);
  return view_at(x, offset, shape, tensor.strides().data() + taken);
}

template <class T>
void gather(Builder& builder, const IndexPlan& plan, const WalkPlan& walk, const Tensor& x, Tensor& result) {
  T* from = const_cast<T*>(x.as<T>()) + plan.offset;  // only read
  T* to = result.as<T>();
  const Walk<T, ReadElements<T>> run(walk, {});
  const int64_t places = std::max<int64_t>(walk.places, 1);
  const int64_t grain =
      std::max<int64_t>(1, parallel_bytes * places / (result.size() * static_cast<int64_t>(sizeof(T))));
  kernels::parallel_for(builder.context(), walk.places, grain,
                        [&](int64_t begin, int64_t end) { run.run(from, to, begin, end); });
}

// Where an index of an axis is; `size` where it is out of range.
int64_t place_of(int64_t index, int64_t size) {
  const int64_t place = index < 0 ? index + size : index;
  return static_cast<uint64_t>(place) < static_cast<uint64_t>(size) ? place : size;
}

template <class T>
int64_t copy_elements(const T* x, int64_t size, const int64_t* places, T* to, int64_t begin, int64_t end) {
  int64_t wrong = -1;
  visit_ahead<false>(
      x, is_far(size, sizeof(T)), begin, end, [=](int64_t i) { return places[i]; },
      [&](int64_t i) {
        const int64_t place = place_of(places[i], size);
        if (place < size)
          to[i] = x[place];
        else if (wrong < 0)
          wrong = i;
      });
  return wrong;
}

// Gives the first place whose index is out of range, or -1.
template <class T>
int64_t copy_rows_of(const T* x, int64_t size, const int64_t* rows, int64_t length, T* to, int64_t begin, int64_t end) {
  if (length == 1) return copy_elements(x, size, rows, to, begin, end);
  for (int64_t i = begin; i < end; ++i) {
    const int64_t row = place_of(rows[i], size);
    if (row == size) return i;
    std::memcpy(to + i * length, x + row * length, static_cast<size_t>(length) * sizeof(T));
  }
  return -1;
}

int64_t copy_rows(const Tensor& x, const int64_t* rows, int64_t length, std::byte* to, int64_t begin, int64_t end) {
  switch (size_of(x.dtype())) {
    case 1: return copy_rows_of(x.as<uint8_t>(), x.dim(0), rows, length, reinterpret_cast<uint8_t*>(to), begin, end);
    case 2: return copy_rows_of(x.as<uint16_t>(), x.dim(0), rows, length, reinterpret_cast<uint16_t*>(to), begin, end);
    case 4: return copy_rows_of(x.as<uint32_t>(), x.dim(0), rows, length, reinterpret_cast<uint32_t*>(to), begin, end);
    default: return copy_rows_of(x.as<uint64_t>(), x.dim(0), rows, length, reinterpret_cast<uint64_t*>(to), begin, end);
  }
}

bool is_row_gather(const Tensor& x, int64_t spec, std::span<const Value> items) {
  if (spec != one_number || !items[0].is_tensor() || !x.contiguous()) return false;
  const Tensor& rows = items[0].tensor();
  return rows.dtype() == Dtype::i64 && rows.contiguous() && rows.rank() + x.rank() - 1 <= max_rank;
}

Value read_places(Builder& builder, const IndexPlan& plan, const Tensor& x) {
  Value result = make_tensor(builder.pool(), x.dtype(), plan.shape);
  Tensor& to = result.tensor();
  if (to.size() == 0) return result;
  WalkPlan walk = plan_walk(plan, to.strides());
  walk.is_far = is_far(x.size(), size_of(x.dtype()));
  switch (size_of(x.dtype())) {
    case 1: gather<uint8_t>(builder, plan, walk, x, to); break;
    case 2: gather<uint16_t>(builder, plan, walk, x, to); break;
    case 4: gather<uint32_t>(builder, plan, walk, x, to); break;
    default: gather<uint64_t>(builder, plan, walk, x, to); break;
  }
  return result;
}

// x[rows] of a row-major x by a row-major tensor of i64, the commonest gather: no list of offsets is made.
Value read_rows(Builder& builder, const Tensor& x, const Tensor& rows) {
  Shape shape = rows.shape();
  int64_t length = 1;
  for (unsigned i = 1; i < x.rank(); ++i) {
    shape.push_back(Dim(x.dim(i)));
    length *= x.dim(i);
  }
  Value result = make_tensor(builder.pool(), x.dtype(), shape);
  const int64_t width = static_cast<int64_t>(size_of(x.dtype()));
  const int64_t grain = std::max<int64_t>(1, parallel_bytes / std::max<int64_t>(1, length * width));
  kernels::LowestIndex wrong;
  kernels::parallel_for(builder.context(), rows.size(), grain, [&](int64_t begin, int64_t end) {
    wrong.report(copy_rows(x, rows.as<int64_t>(), length, result.tensor().data(), begin, end));
  });
  if (wrong.value() >= 0) fail_index(rows.as<int64_t>()[wrong.value()], 0, x.dim(0), 2);
  return result;
}

Value read_number(Builder& builder, const IndexLayout& layout, const Value& x, std::span<const Value> items) {
  IndexPlan plan = plan_index(builder, layout, {}, {}, items);
  return reshape_value(builder.pool(),
                       plan.shape.elements() == 0 ? make_tensor(builder.pool(), x.scalar_dtype(), plan.shape) : x,
                       plan.shape);
}

}  // namespace

Value index_read_eager(Builder& builder, Call& call) {
  const Value& x = call.args[0];
  const std::span<const Value> items = call.rest;
  if (x.is_tensor()) {
    Value plain = read_plain(x, call.args[1].i64(), items);
    if (!plain.is_unbound()) return plain;
    if (is_row_gather(x.tensor(), call.args[1].i64(), items)) return read_rows(builder, x.tensor(), items[0].tensor());
  }
  // Of no examples one is tried for its type; it may read a tensor that has none either.
  if (builder.context().trying && x.is_tensor() && x.tensor().size() == 0)
    return zeros(builder, call.entry.type(builder, call));
  const IndexLayout layout = layout_of(IndexSpec(call.args[1].i64()), type_of(x), items, 2);
  if (x.is_scalar()) return read_number(builder, layout, x, items);
  const Tensor& tensor = x.tensor();
  const IndexPlan plan = plan_index(builder, layout, tensor.dims(), tensor.strides(), items);
  if (plan.advanced) return read_places(builder, plan, tensor);
  return view_at(x, plan.offset, plan.shape, plan.strides.data());
}

}  // namespace covec::ops
