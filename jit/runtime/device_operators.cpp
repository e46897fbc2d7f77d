#include "jit/runtime/device_operators.hpp"

#include <algorithm>

#include "jit/runtime/device_arguments.hpp"
#include "jit/runtime/device_reduce.hpp"
#include "jit/source/device_library.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/linalg/linalg.hpp"
#include "stdlib/ops/shape/shape.hpp"

namespace covec::runtime {

namespace {

bool is_reduction_there(const ops::Entry& entry) {
  if (entry.reduce == nullptr || entry.reduce->composed) return false;
  const ops::ReduceKind kind = entry.reduce->kind;
  return kind != ops::ReduceKind::argmax && kind != ops::ReduceKind::argmin;
}

bool is_product(const ops::Entry& entry) {
  return &entry == &ops::matmul_entry() || &entry == &ops::dot_entry() || &entry == &ops::scaled_matmul_entry();
}

// The operands of a square product have as many rows as the result.
int64_t products_an_element(const ops::Call& call) {
  return call.args[0].is_tensor() ? call.args[0].tensor().dim(call.args[0].tensor().rank() - 1) : 1;
}

bool has_elements(const Value& x) { return x.is_tensor() && x.tensor().size() > 0; }

// --- reductions of what lies in memory ---

// The elements as they are.
loops::Kernel kernel_of_loads(Dtype dtype) {
  loops::Kernel kernel;
  kernel.inputs.push_back({dtype, false});
  loops::KernelInstruction load;
  load.kind = loops::KernelInstruction::Kind::load;
  load.dtype = dtype;
  kernel.code.push_back(load);
  kernel.outputs.push_back({0, dtype});
  return kernel;
}

DeviceKernel reduction_kernel(device::Accelerator& accelerator, const source::DeviceReduction& reduction) {
  const std::string name = "reduce_" + std::to_string(static_cast<int>(reduction.kind)) + "_" +
                           std::string(name_of(reduction.element)) + (reduction.last_axis ? "_last" : "_columns");
  const auto write = [&] {
    return source::device_prelude(accelerator.device().dialect()) +
           source::device_reduction(kernel_of_loads(reduction.element), reduction, name);
  };
  const std::string names[] = {name + "_flat", name + "_strided", name + "_join"};
  const std::vector<device::Function>& functions = accelerator.library(name, write, names);
  return {functions[0], functions[1], reduction, functions[2], false};
}

// The reduced axes, if they are neighbours and have elements.
std::optional<ReducedExtents> one_group(const Shape& shape, uint32_t axes, bool& last_axis) {
  ReducedExtents extents;
  unsigned changes = 0;
  bool before = false;
  for (unsigned axis = 0; axis < shape.rank(); ++axis) {
    const bool reduced = (axes >> axis & 1) != 0;
    changes += reduced && !before;
    before = reduced;
    (reduced ? extents.n : changes == 0 ? extents.outer : extents.inner) *= shape[axis].number();
  }
  last_axis = before;
  if (changes != 1) return std::nullopt;
  return extents;
}

// --- products ---

struct Strides {
  int64_t row, column;
};
Strides strides_of(const Tensor& t, bool left) {
  const unsigned rank = t.rank();
  if (rank >= 2) return {t.stride(rank - 2), t.stride(rank - 1)};
  return left ? Strides{0, t.stride(0)} : Strides{t.stride(0), 1};
}

int64_t batch_stride(const Tensor& t, unsigned axis, unsigned batches) {
  const unsigned own = t.rank() >= 2 ? t.rank() - 2 : 0, missing = batches - own;
  return axis < missing || t.dim(axis - missing) == 1 ? 0 : t.stride(axis - missing);
}

// The batch's axes, merged; false: they are too many, or too long.
bool put_batch(const Tensor& a, const Tensor& b, const Shape& result, unsigned batches, int32_t* words) {
  kernels::Axes walks[2];
  for (unsigned axis = 0; axis < batches; ++axis) {
    walks[0].push(result[axis].number(), batch_stride(a, axis, batches));
    walks[1].push(result[axis].number(), batch_stride(b, axis, batches));
  }
  kernels::merge_together(walks);
  const unsigned axes = walks[0].count;
  if (axes > source::most_batch_axes) return false;
  words[0] = static_cast<int32_t>(axes);
  bool fits = true;
  const auto put = [&](unsigned place, int64_t number) {
    words[place] = static_cast<int32_t>(number);
    fits = fits && words[place] == number;
  };
  for (unsigned axis = 0; axis < axes; ++axis) {
    put(1 + axis, walks[0].dim[axis]);
    put(1 + source::most_batch_axes + axis, walks[0].stride[axis]);
    put(1 + 2 * source::most_batch_axes + axis, walks[1].stride[axis]);
  }
  return fits;
}

}  // namespace

bool DeviceOperators::is_worth_it(const ops::Call& call, int64_t weight, unsigned threads) const {
  uint64_t bytes = 0;
  int64_t most = 0;
  for (unsigned i = 0; i < call.operands(); ++i) {
    if (!call.operand(i).is_tensor()) continue;
    const Tensor& x = call.operand(i).tensor();
    const bool there = accelerator_.blocks().has(x);
    if (there && x.away()) return true;
    if (!there) bytes += static_cast<uint64_t>(x.size()) * size_of(x.dtype());
    most = std::max(most, x.size());
  }
  return code_.is_worth_it(most, weight, bytes, threads);
}

Value DeviceOperators::apply(ops::Builder& builder, ops::Call& call) {
  Value result = apply_there(builder, call);
  if (result.is_unbound()) return apply_here(builder, call);
  ++code_.tally.operators;
  return result;
}

// What an operator that is made of others fetches is told of these.
Value DeviceOperators::apply_here(ops::Builder& builder, ops::Call& call) {
  const device::Blocks& blocks = accelerator_.blocks();
  const uint64_t before = blocks.fetched(), told = told_;
  Value result = call.entry.eager(builder, call);
  const uint64_t bytes = blocks.fetched() - before - (told_ - told);
  if (bytes == 0) return result;
  told_ += bytes;
  DeviceTally::Fetched& fetched = code_.tally.fetched[ops::shown_name(call.entry)];
  ++fetched.times;
  fetched.bytes += bytes;
  return result;
}

Value DeviceOperators::apply_there(ops::Builder& builder, ops::Call& call) {
  const unsigned threads = builder.context().threads;
  if (is_reduction_there(call.entry) && is_worth_it(call, 1, threads)) return reduce(builder, call);
  if (is_product(call.entry) && is_worth_it(call, products_an_element(call), threads)) return multiply(builder, call);
  if (&call.entry == &ops::reshape_entry()) pack(builder.pool(), call.args[0]);
  return Value::unbound();
}

Value DeviceOperators::reduce(ops::Builder& builder, ops::Call& call) {
  if (!has_elements(call.args[0]) || is_half(call.args[0].tensor().dtype())) return Value::unbound();
  const Type type = call.entry.type(builder, call);
  Tensor& x = call.args[0].tensor();
  bool last_axis = true;
  const auto extents = one_group(x.shape(), ops::reduce_arguments(call, x.rank()).axes, last_axis);
  if (!extents) return Value::unbound();
  DeviceWalks walks;
  walks.add(x, x.shape());
  walks.merge();
  if (!walks.flat() && !walks.put()) return Value::unbound();
  const DeviceKernel kernel = reduction_kernel(accelerator_, {call.entry.reduce->kind, x.dtype(), last_axis});
  Tensor* const inputs[] = {&x};
  return reduce_there(accelerator_, builder.pool(), kernel, walks.flat(), *extents, type.shape, 0,
                      [&](DeviceArguments& arguments) { walks.give(arguments, inputs); });
}

Value DeviceOperators::multiply(ops::Builder& builder, ops::Call& call) {
  if (!has_elements(call.args[0]) || !has_elements(call.args[1])) return Value::unbound();
  Tensor& a = call.args[0].tensor();
  Tensor& b = call.args[1].tensor();
  const Dtype dtype = a.dtype();
  if (dtype != b.dtype() || !is_float(dtype) || (a.rank() == 1 && b.rank() == 1)) return Value::unbound();
  const Type type = call.entry.type(builder, call);
  const unsigned batches = type.shape.rank() - (a.rank() >= 2) - (b.rank() >= 2);
  int32_t batch[1 + 3 * source::most_batch_axes] = {};
  if (!put_batch(a, b, type.shape, batches, batch)) return Value::unbound();
  Value result = accelerator_.blocks().make(builder.pool(), dtype, type.shape);
  device::Product product;
  product.dtype = dtype;
  product.precision = code_.precision();
  product.k = a.dim(a.rank() - 1);
  product.m = a.rank() >= 2 ? a.dim(a.rank() - 2) : 1;
  product.n = b.rank() >= 2 ? b.dim(b.rank() - 1) : 1;
  product.batches = type.shape.elements() / (product.m * product.n);
  // In an adjoint what is not a number is computed again, by the rule of zero cotangents: the processor's affair.
  const bool is_adjoint = &call.entry == &ops::scaled_matmul_entry();
  if (multiply_by_library(product, batch, a, b, result.tensor())) {
    if (is_adjoint) check_for_nan(result.tensor());
  } else {
    launch_product(product, batch, a, b, result.tensor());
  }
  if (is_adjoint && code_.is_raised()) return Value::unbound();
  return result;
}

void DeviceOperators::launch_product(const device::Product& product, const int32_t* batch, Tensor& a, Tensor& b,
                                     Tensor& c) {
  const std::string name = "product_" + std::string(name_of(product.dtype));
  const auto write = [&] {
    return source::device_prelude(accelerator_.device().dialect()) + source::device_product(product.dtype, name);
  };
  const device::Function kernel = accelerator_.library(name, write, {&name, 1})[0];
  DeviceArguments arguments(accelerator_);
  for (const int64_t number : {product.m, product.n, product.k, product.batches}) arguments.number(number);
  for (const bool left : {true, false}) {
    Tensor& factor = left ? a : b;
    const Strides strides = strides_of(factor, left);
    arguments.tensor(factor);
    arguments.number(strides.row);
    arguments.number(strides.column);
  }
  arguments.tensor(c);
  arguments.bytes(batch, (1 + 3 * source::most_batch_axes) * sizeof *batch);
  arguments.memory(code_.lowered_flag());
  constexpr int64_t tile = source::device_tile;
  arguments.launch_groups(kernel, product.batches * ((product.m + tile - 1) / tile) * ((product.n + tile - 1) / tile),
                          source::device_tile_items);
}

bool DeviceOperators::multiply_by_library(device::Product& product, const int32_t* batch, Tensor& a, Tensor& b,
                                          Tensor& c) {
  if (product.precision == Precision::full || product.dtype == Dtype::f64 || batch[0] > 1) return false;
  std::vector<device::Blocks::Temporary> temporaries;
  const auto put = [&](Tensor& tensor, const Strides& strides, int64_t apart) {
    const device::Place place = accelerator_.blocks().place_of(tensor, temporaries);
    return device::Matrices{place.handle, static_cast<size_t>(place.offset), strides.row, strides.column, apart};
  };
  product.a = put(a, strides_of(a, true), batch[1 + source::most_batch_axes]);
  product.b = put(b, strides_of(b, false), batch[1 + 2 * source::most_batch_axes]);
  product.c = put(c, {product.n, 1}, product.m * product.n);
  const bool done = accelerator_.device().multiply(product);
  code_.tally.library += done;
  return done;
}

void DeviceOperators::check_for_nan(Tensor& x) {
  const std::string name = "nan_" + std::string(name_of(x.dtype()));
  const auto write = [&] {
    return source::device_prelude(accelerator_.device().dialect()) + source::device_nan_check(x.dtype(), name);
  };
  DeviceArguments arguments(accelerator_);
  arguments.number(x.size());
  arguments.tensor(x);
  arguments.memory(code_.lowered_flag());
  arguments.launch(accelerator_.library(name, write, {&name, 1})[0], x.size());
}

// A view needs the elements in order: they are put so where they are.
void DeviceOperators::pack(Pool& pool, Value& x) {
  if (!has_elements(x) || x.tensor().contiguous() || !x.tensor().away() || !accelerator_.blocks().has(x.tensor()))
    return;
  Tensor& from = x.tensor();
  DeviceWalks walks;
  walks.add(from, from.shape());
  walks.merge();
  if (!walks.put()) return;
  const std::string name = "copy_" + std::to_string(size_of(from.dtype()));
  const auto write = [&] {
    return source::device_prelude(accelerator_.device().dialect()) + source::device_copy(size_of(from.dtype()), name);
  };
  const std::string names[] = {name + "_pack", name + "_place"};
  const device::Function kernel = accelerator_.library(name, write, names)[0];
  Value packed = accelerator_.blocks().make(pool, from.dtype(), from.shape());
  DeviceArguments arguments(accelerator_);
  arguments.number(from.size());
  arguments.tensor(packed.tensor());
  arguments.tensor(from);
  walks.give_walk(arguments, 1);
  arguments.launch(kernel, from.size());
  x = std::move(packed);
}

OffloadScope::OffloadScope(ops::Context& context, DeviceCode& code)
    : operators_(code), devices_(*context.devices), outer_(std::exchange(devices_.offload, &operators_)) {}

OffloadScope::~OffloadScope() { devices_.offload = outer_; }

}  // namespace covec::runtime
