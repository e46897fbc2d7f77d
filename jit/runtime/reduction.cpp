#include "jit/runtime/reduction.hpp"

#include <atomic>

#include "stdlib/kernels/reduce_producer.hpp"
#include "stdlib/ops/reduce/reduce.hpp"

namespace covec::runtime {

kernels::ReduceKind kernel_kind(ops::ReduceKind kind) {
  switch (kind) {
    case ops::ReduceKind::mean: return kernels::ReduceKind::float_sum;
    case ops::ReduceKind::prod: return kernels::ReduceKind::prod;
    case ops::ReduceKind::max: return kernels::ReduceKind::max;
    case ops::ReduceKind::min: return kernels::ReduceKind::min;
    case ops::ReduceKind::any: return kernels::ReduceKind::any;
    case ops::ReduceKind::all: return kernels::ReduceKind::all;
    default: return kernels::ReduceKind::sum;
  }
}

namespace {

// As the operator's type rule has it: reduced axes go, or become 1.
Shape shape_of_result(const loops::Launch::Reduction& reduction, const Shape& extents) {
  return ops::reduced_shape(extents, {reduction.axes, reduction.keepdims});
}

template <class T>
void divide(void* data, int64_t n, int64_t divisor) {
  T* x = static_cast<T*>(data);
  const T by = static_cast<T>(divisor);
  for (int64_t i = 0; i < n; ++i) x[i] /= by;
}

// The elements of a launch's last output.
struct LaunchProducer final : kernels::Producer {
  explicit LaunchProducer(const KernelElements& e) : elements(e) {}
  void make(int64_t begin, int64_t end, std::byte* to) const override {
    if (!elements.run(begin, end, to)) good.store(false, std::memory_order_relaxed);
  }
  const KernelElements& elements;
  mutable std::atomic<bool> good = true;
};

}  // namespace

void divide_all(Dtype dtype, void* data, int64_t n, int64_t divisor) {
  if (dtype == Dtype::f32) divide<float>(data, n, divisor);
  if (dtype == Dtype::f64) divide<double>(data, n, divisor);
}

bool reduce(ops::Context& context, const loops::Launch& launch, const KernelElements& elements, const Shape& extents,
            Value& result) {
  const loops::Launch::Reduction& reduction = launch.reductions[0];
  const ops::ReduceOperator& op = *reduction.entry->reduce;
  LaunchProducer producer(elements);
  for (unsigned axis = 0; axis < reduction.rank; ++axis) {
    ((reduction.axes >> axis & 1) != 0 ? producer.reduced : producer.kept) *= extents[axis].number();
  }
  producer.dtype = reduction.dtype;
  producer.last_axis = (reduction.axes >> (reduction.rank - 1) & 1) != 0;
  producer.weight = std::max<int64_t>(1, launch.weight / 4);
  const kernels::ReduceKind kind = kernel_kind(op.kind);
  result =
      make_tensor(*context.pool, kernels::reduced_dtype(kind, reduction.dtype), shape_of_result(reduction, extents));
  void* out = result.is_scalar() ? result.scalar_data() : result.tensor().data();
  kernels::reduce_producer(context, kind, producer, out);
  if (!producer.good.load()) return false;
  if (op.divides) divide_all(dtype_of(result), out, producer.kept, producer.reduced);
  return true;
}

}  // namespace covec::runtime
