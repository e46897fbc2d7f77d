#include "stdlib/ops/reduce/cached.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/kernels/reduce_producer.hpp"
#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/tensor/views.hpp"

namespace covec::ops {

namespace {

constexpr int64_t least_elements = 1 << 12;  // below, whole tensors fit the nearest cache
constexpr int64_t rows_at_once = 1 << 17;    // elements: enough for several threads, and still in the cache

bool is_plain(const Builder& builder, const Value& x) {
  return builder.is_eager() && x.is_tensor() && x.tensor().contiguous() && is_float(x.tensor().dtype()) &&
         !is_half(x.tensor().dtype()) && x.tensor().size() >= least_elements;
}

// How many axes at the end are reduced, if these are all; else 0.
unsigned last_axes(uint32_t axes, unsigned rank) {
  unsigned count = 0;
  while (count < rank && ((axes >> (rank - 1 - count)) & 1) != 0) ++count;
  return axes == ((uint32_t{1} << rank) - 1) >> (rank - count) << (rank - count) ? count : 0;
}

template <class Operator>
kernels::PointwiseKernel kernel(const Builder& builder, Dtype dtype) {
  const PointwiseOperator& op = *entry_of<Operator>().pointwise;
  return op.rows[static_cast<int>(builder.context().isa)]->by_dtype[static_cast<int>(dtype)];
}

// (x − center)·y, where the center is 0 or one number for each row.
struct Factors final : kernels::Producer {
  const Tensor& x;
  const std::byte* y;
  const std::byte* center;  // nullptr: 0
  size_t width;
  kernels::PointwiseKernel subtract, multiply;

  Factors(const Builder& builder, const Tensor& x, const Tensor& y)
      : x(x),
        y(y.data()),
        center(nullptr),
        width(size_of(x.dtype())),
        subtract(kernel<Subtract>(builder, x.dtype())),
        multiply(kernel<Multiply>(builder, x.dtype())) {}

  const std::byte* at(const std::byte* data, int64_t i) const { return data + static_cast<size_t>(i) * width; }

  void make(int64_t begin, int64_t end, std::byte* to) const override {
    if (center == nullptr) {
      const void* in[] = {at(x.data(), begin), at(y, begin)};
      multiply(to, in, end - begin, 0, 0);
      return;
    }
    for (int64_t from = begin; from < end;) {
      const int64_t row = from / reduced, count = std::min(end, (row + 1) * reduced) - from;
      const void* in[] = {at(x.data(), from), at(center, row)};
      subtract(to, in, count, 2, 0);
      const void* off[] = {to, to};
      multiply(to, off, count, 0, 0);
      to += static_cast<size_t>(count) * width;
      from += count;
    }
  }

  Value sum(Builder& builder, const Shape& shape) {
    dtype = x.dtype();
    kept = x.size() / reduced;
    Value result = make_tensor(builder.pool(), x.dtype(), shape);
    void* const out = result.is_scalar() ? result.scalar_data() : static_cast<void*>(result.tensor().data());
    kernels::reduce_producer(builder.context(), kernels::ReduceKind::sum, *this, out);
    return result;
  }
};

}  // namespace

Value sum_of_squares_cached(Builder& builder, const Value& x, const Value& center, const ReduceArguments& arguments) {
  if (!is_plain(builder, x)) return Value::unbound();
  const Tensor& tensor = x.tensor();
  const unsigned reduced_axes = last_axes(arguments.axes, tensor.rank());
  if (reduced_axes == 0) return Value::unbound();
  const Value centers = center.is_unbound() ? center : contiguous(builder.pool(), center);
  Factors factors(builder, tensor, tensor);
  if (!center.is_unbound()) factors.center = static_cast<const std::byte*>(data_of(centers));
  for (unsigned i = tensor.rank() - reduced_axes; i < tensor.rank(); ++i) factors.reduced *= tensor.dim(i);
  return factors.sum(builder, reduced_shape(tensor.shape(), arguments));
}

Value sum_of_products_cached(Builder& builder, const Value& x, const Value& y) {
  if (!is_plain(builder, x) || !is_plain(builder, y)) return Value::unbound();
  if (x.tensor().dtype() != y.tensor().dtype() || x.tensor().shape() != y.tensor().shape()) return Value::unbound();
  Factors factors(builder, x.tensor(), y.tensor());
  factors.reduced = x.tensor().size();
  return factors.sum(builder, {});
}

Value by_rows_cached(Builder& builder, const Value& x, const ReduceArguments& arguments,
                     const std::function<Value(Value rows)>& steps) {
  if (!is_plain(builder, x)) return Value::unbound();
  const Tensor& tensor = x.tensor();
  const unsigned last = tensor.rank() - 1;
  if (arguments.axes != uint32_t{1} << last) return Value::unbound();
  const int64_t columns = tensor.dim(last), rows = tensor.size() / columns;
  const int64_t at_once = std::max<int64_t>(1, rows_at_once / columns);
  if (rows < 2 * at_once) return Value::unbound();
  Value result = make_tensor(builder.pool(), tensor.dtype(), tensor.shape());
  const int64_t strides[] = {columns, 1};
  for (int64_t row = 0; row < rows; row += at_once) {
    kernels::poll_interrupt(builder.context());
    const int64_t count = std::min(at_once, rows - row);
    const Value part = steps(view_at(x, row * columns, Shape{Dim(count), Dim(columns)}, strides));
    const size_t width = size_of(tensor.dtype());
    std::memcpy(result.tensor().data() + static_cast<size_t>(row * columns) * width, part.tensor().data(),
                static_cast<size_t>(count * columns) * width);
  }
  return result;
}

}  // namespace covec::ops
