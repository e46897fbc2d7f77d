// Plans reductions: which axes form groups, which pass each group takes, and where intermediate results lie. Start at
// reduce().
#include "stdlib/kernels/reduce.hpp"

#include <cstring>

#include "stdlib/kernels/reduce_plan.hpp"

namespace covec::kernels {

const ReduceKernel& reduce_kernel_for(ops::Isa isa, ReduceKind kind, Dtype dtype) {
  static constexpr ops::PerIsa<const ReduceKernel*(ReduceKind, Compute)> kernels = COVEC_PER_ISA(reduce_kernel);
  return *kernels[isa](kind, compute_of(dtype));
}

namespace {

// The value of an empty reduction: zero bits but for prod and all.
void fill_empty(ReduceKind kind, Compute compute, int64_t n, std::byte* out) {
  if (kind != ReduceKind::prod && kind != ReduceKind::all) {
    std::memset(out, 0, static_cast<size_t>(n) * size_of(dtype_of(compute)));
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    switch (compute) {
      case Compute::f32: reinterpret_cast<float*>(out)[i] = 1; break;
      case Compute::f64: reinterpret_cast<double*>(out)[i] = 1; break;
      case Compute::i64: reinterpret_cast<int64_t*>(out)[i] = 1; break;
      case Compute::i32: reinterpret_cast<int32_t*>(out)[i] = 1; break;
      case Compute::boolean: reinterpret_cast<uint8_t*>(out)[i] = 1; break;
    }
  }
}

Axes merged_axes(const StridedInput& x, unsigned begin, unsigned end) {
  Axes axes;
  for (unsigned i = begin; i < end; ++i) axes.push_merged(x.dims[i], x.strides[i]);
  return axes;
}

// Reduces axes [first, last], writing row-major results.
void reduce_group(ops::Context& context, ReduceKind kind, const StridedInput& x, unsigned first, unsigned last,
                  std::byte* out) {
  const ReduceKernel& kernel = reduce_kernel_for(context.isa, kind, x.dtype);
  GroupPass pass{
      kernel, x.data, merged_axes(x, 0, first), merged_axes(x, first, last + 1), merged_axes(x, last + 1, x.rank), 0, 0,
      0,      out};
  pass.outer_count = pass.outer.elements();
  pass.group_count = pass.group.elements();
  pass.inner_count = pass.inner.elements();
  const int64_t results = pass.outer_count * pass.inner_count;
  if (results == 0) return;
  if (pass.group_count == 0) return fill_empty(kind, kernel.out, results, out);
  if (last + 1 == x.rank) {
    reduce_lanes(context, pass);
  } else {
    reduce_columns(context, pass);
  }
}

// `x` without axes [first, last], its elements at `data`, row-major.
StridedInput without_axes(const StridedInput& x, unsigned first, unsigned last, Dtype dtype, const std::byte* data) {
  StridedInput rest{data, dtype, 0, {}, {}};
  for (unsigned i = 0; i < x.rank; ++i) {
    if (i < first || i > last) rest.dims[rest.rank++] = x.dims[i];
  }
  int64_t stride = 1;
  for (unsigned i = rest.rank; i-- > 0; stride *= rest.dims[i]) rest.strides[i] = stride;
  return rest;
}

int64_t elements_of(const StridedInput& x) {
  int64_t n = 1;
  for (unsigned i = 0; i < x.rank; ++i) n *= x.dims[i];
  return n;
}

bool has(uint32_t axes, unsigned axis) { return (axes >> axis) & 1; }

}  // namespace

Dtype reduced_dtype(ReduceKind kind, Dtype dtype) {
  return dtype_of(baseline::reduce_kernel(kind, compute_of(dtype))->out);
}

void reduce(ops::Context& context, ReduceKind kind, const StridedInput& x, uint32_t axes, void* out) {
  unsigned last = x.rank;
  while (last > 0 && !has(axes, last - 1)) --last;
  if (last == 0) {  // nothing is reduced: each element by itself
    GroupPass pass{
        reduce_kernel_for(context.isa, kind, x.dtype), x.data, {}, {}, {}, 0, 1, 1, static_cast<std::byte*>(out)};
    pass.outer = merged_axes(x, 0, x.rank);
    pass.outer_count = pass.outer.elements();
    if (pass.outer_count > 0) reduce_lanes(context, pass);
    return;
  }
  --last;
  unsigned first = last;
  while (first > 0 && has(axes, first - 1)) --first;
  const uint32_t group = ((uint32_t{2} << last) - 1) & ~((uint32_t{1} << first) - 1);
  if ((axes & ~group) == 0) return reduce_group(context, kind, x, first, last, static_cast<std::byte*>(out));
  const Dtype dtype = reduced_dtype(kind, x.dtype);
  StridedInput rest = without_axes(x, first, last, dtype, nullptr);
  const Scratch scratch(*context.pool, static_cast<uint64_t>(elements_of(rest)) * size_of(dtype));
  rest.data = scratch.data();
  reduce_group(context, kind, x, first, last, scratch.data());
  reduce(context, kind, rest, axes & ~group, out);
}

}  // namespace covec::kernels
