#include "stdlib/ops/reduce/cached.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "stdlib/kernels/parallel.hpp"
#include "stdlib/kernels/reduce_producer.hpp"
#include "stdlib/ops/contract/rules.hpp"
#include "stdlib/ops/elementwise/bodies/arithmetic.hpp"
#include "stdlib/ops/elementwise/bodies/functions.hpp"
#include "stdlib/ops/elementwise/operator.hpp"
#include "stdlib/tensor/tensor.hpp"
#include "stdlib/tensor/views.hpp"

namespace covec::ops {

namespace {

constexpr int64_t least_elements = 1 << 12;  // below, whole tensors fit the nearest cache
constexpr int64_t row_grain = 1 << 12;       // elements of rows that are worth a thread

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
  return entry_of<Operator>().pointwise->kernel(builder.context().isa, dtype);
}

// x·y; or with a center, which has one number for each row, x − center or its square.
struct Factors final : kernels::Producer {
  const Tensor& x;
  const std::byte* y;
  const std::byte* center = nullptr;
  bool squared = true;
  size_t width;
  kernels::PointwiseKernel subtract, multiply;

  Factors(const Builder& builder, const Tensor& x, const Tensor& y)
      : x(x),
        y(y.data()),
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
      if (squared) {
        const void* off[] = {to, to};
        multiply(to, off, count, 0, 0);
      }
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

// The product of the sizes of the axes, if they are the last ones; else 0.
int64_t elements_of_rows(const Tensor& tensor, uint32_t axes) {
  const unsigned count = last_axes(axes, tensor.rank());
  int64_t elements = count == 0 ? 0 : 1;
  for (unsigned i = tensor.rank() - count; i < tensor.rank(); ++i) elements *= tensor.dim(i);
  return elements;
}

}  // namespace

Value sum_of_squares_cached(Builder& builder, const Value& x, const ReduceArguments& arguments) {
  const int64_t reduced = is_plain(builder, x) ? elements_of_rows(x.tensor(), arguments.axes) : 0;
  if (reduced == 0) return Value::unbound();
  Factors factors(builder, x.tensor(), x.tensor());
  factors.reduced = reduced;
  return factors.sum(builder, reduced_shape(x.tensor().shape(), arguments));
}

Value sum_of_centred_squares_cached(Builder& builder, const Value& x, const Value& first,
                                    const ReduceArguments& arguments) {
  const int64_t reduced = is_plain(builder, x) ? elements_of_rows(x.tensor(), arguments.axes) : 0;
  if (reduced == 0) return Value::unbound();
  const Value firsts = contiguous(builder.pool(), first);
  Factors factors(builder, x.tensor(), x.tensor());
  factors.reduced = reduced;
  factors.center = static_cast<const std::byte*>(data_of(firsts));
  factors.squared = false;
  RuleContext rule(builder, true);
  const Value count = rule.number(static_cast<double>(reduced), x.tensor().dtype());
  const Value mean = rule.div(factors.sum(builder, first.is_scalar() ? Shape() : first.tensor().shape()), count);
  const Value center = contiguous(builder.pool(), rule.add(first, mean));
  factors.center = static_cast<const std::byte*>(data_of(center));
  factors.squared = true;
  return factors.sum(builder, reduced_shape(x.tensor().shape(), arguments));
}

Value sum_of_products_cached(Builder& builder, const Value& x, const Value& y) {
  if (!is_plain(builder, x) || !is_plain(builder, y)) return Value::unbound();
  if (x.tensor().dtype() != y.tensor().dtype() || x.tensor().shape() != y.tensor().shape()) return Value::unbound();
  Factors factors(builder, x.tensor(), y.tensor());
  factors.reduced = x.tensor().size();
  return factors.sum(builder, {});
}

namespace {

// Softmax of one row after the other, each in the nearest cache.
struct SoftmaxRows {
  const std::byte* x;
  std::byte* to;
  int64_t columns;
  size_t width;
  bool logarithm;
  const kernels::ReduceKernel &max, &sum;
  kernels::PointwiseKernel subtract, exp, log, divide;

  SoftmaxRows(const Builder& builder, const Tensor& tensor, Tensor& result, bool of_logarithm)
      : x(tensor.data()),
        to(result.data()),
        columns(tensor.dim(tensor.rank() - 1)),
        width(size_of(tensor.dtype())),
        logarithm(of_logarithm),
        max(kernels::reduce_kernel_for(builder.context().isa, kernels::ReduceKind::max, tensor.dtype())),
        sum(kernels::reduce_kernel_for(builder.context().isa, kernels::ReduceKind::sum, tensor.dtype())),
        subtract(kernel<Subtract>(builder, tensor.dtype())),
        exp(kernel<Exp>(builder, tensor.dtype())),
        log(kernel<Log>(builder, tensor.dtype())),
        divide(kernel<Divide>(builder, tensor.dtype())) {}

  // `room`: for a row.
  void row(int64_t index, std::byte* room) const {
    const size_t offset = static_cast<size_t>(index * columns) * width;
    alignas(8) std::byte number[8];
    std::byte* const result = to + offset;
    constexpr unsigned second = 2;  // is one number
    const auto apply = [&](kernels::PointwiseKernel step, std::byte* out, const std::byte* a) {
      const void* const in[] = {a, number};
      step(out, in, columns, second, 0);
    };
    max.rows(x + offset, 1, columns, columns, number);
    apply(subtract, result, x + offset);
    std::byte* const parts = logarithm ? room : result;
    const void* const difference[] = {result};
    exp(parts, difference, columns, 0, 0);
    sum.rows(parts, 1, columns, columns, number);
    if (!logarithm) return apply(divide, result, result);
    const void* const whole[] = {number};
    log(number, whole, 1, 0, 0);
    apply(subtract, result, result);
  }
};

}  // namespace

Value softmax_cached(Builder& builder, const Value& x, const ReduceArguments& arguments, bool logarithm) {
  constexpr int64_t fewest = 64, most = 1 << 15;  // elements of a row
  if (!is_plain(builder, x)) return Value::unbound();
  const Tensor& tensor = x.tensor();
  const unsigned last = tensor.rank() - 1;
  const int64_t columns = tensor.dim(last), rows = tensor.size() / columns;
  if (arguments.axes != uint32_t{1} << last || columns < fewest || columns > most) return Value::unbound();
  Value result = make_tensor(builder.pool(), tensor.dtype(), tensor.shape());
  const SoftmaxRows softmax(builder, tensor, result.tensor(), logarithm);
  kernels::ScratchSlots slots(builder.context(), logarithm ? static_cast<uint64_t>(columns) * softmax.width : 0);
  const int64_t grain = std::max<int64_t>(1, row_grain / columns);
  kernels::parallel_units(builder.context(), rows, grain, [&](int64_t begin, int64_t end) {
    const kernels::ScratchSlots::Slot slot(slots);
    for (int64_t row = begin; row < end; ++row) softmax.row(row, slot.data());
  });
  return result;
}

}  // namespace covec::ops
