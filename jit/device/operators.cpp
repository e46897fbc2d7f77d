#include "jit/device/operators.hpp"

#include <algorithm>
#include <bit>

#include "jit/device/arguments.hpp"
#include "jit/device/convolve.hpp"
#include "jit/device/draw.hpp"
#include "jit/device/index.hpp"
#include "jit/device/map.hpp"
#include "jit/device/move.hpp"
#include "jit/device/products.hpp"
#include "jit/device/reduce.hpp"
#include "jit/device/sort.hpp"
#include "jit/device/walk.hpp"
#include "jit/loops/build_kernel.hpp"
#include "stdlib/kernels/parallel.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/index/index.hpp"
#include "stdlib/ops/linalg/linalg.hpp"
#include "stdlib/ops/reduce/scan.hpp"
#include "stdlib/ops/shape/shape.hpp"

namespace covec::runtime {

namespace {

bool is_reduction_on_device(const ops::Entry& entry) { return entry.reduce != nullptr && !entry.reduce->composed; }

// What gives places.
bool is_search(ops::ReduceKind kind) { return kind == ops::ReduceKind::argmax || kind == ops::ReduceKind::argmin; }

// The operands of a square product have as many rows as the result.
int64_t products_an_element(const ops::Call& call) {
  return call.args[0].is_tensor() ? call.args[0].tensor().dim(call.args[0].tensor().rank() - 1) : 1;
}

// Estimates of a processor's instructions for each element of the largest operand, which say whether the work is worth
// moving operands to a device (DeviceCode::is_worth_it). Counted in the kernels' source, not measured.
constexpr int64_t operations_per_element = 1, operations_per_window = 16, instructions_a_draw = 128;

bool has_elements(const Value& x) { return x.is_tensor() && x.tensor().size() > 0; }

// --- reductions of what lies in memory ---

// The products of two inputs' elements.
loops::Kernel kernel_of_products(Dtype dtype) {
  loops::Kernel kernel;
  kernel.inputs = {{dtype, false}, {dtype, false}};
  loops::KernelBuilder builder(kernel, false);
  const ops::ScalarRef product =
      builder.emit(ops::ScalarOp::mul, dtype, builder.load(dtype, 0), builder.load(dtype, 1), {});
  kernel.outputs.push_back({product.id, dtype});
  return kernel;
}

bool is_product_of_vectors(const ops::Call& call) {
  if (!call.args[0].is_tensor() || !call.args[1].is_tensor()) return false;
  const Tensor &a = call.args[0].tensor(), &b = call.args[1].tensor();
  return a.rank() == 1 && b.rank() == 1 && a.dtype() == b.dtype() && is_float(a.dtype()) && !is_half(a.dtype());
}

DeviceKernel reduction_kernel(device::Accelerator& accelerator, const std::string& name,
                              const source::DeviceReduction& reduction, const loops::Kernel& reduced) {
  const auto write = [&] {
    return source::device_prelude(accelerator.device().dialect()) + source::device_reduction(reduced, reduction, name);
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

}  // namespace

bool DeviceOperators::is_worth_it(const ops::Call& call, int64_t weight, unsigned threads) const {
  std::vector<const Tensor*> operands;
  int64_t most = 0;
  for (unsigned i = 0; i < call.operands(); ++i) {
    if (!call.operand(i).is_tensor()) continue;
    operands.push_back(&call.operand(i).tensor());
    most = std::max(most, operands.back()->size());
  }
  return code_.is_worth_it(operands, most, weight, threads);
}

Value DeviceOperators::apply(ops::Builder& builder, ops::Call& call) {
  number_stays_ = std::exchange(code_.number_stays, false);
  Value result = apply_on_device(builder, call);
  if (result.is_unbound()) return apply_on_host(builder, call);
  ++code_.tally.operators;
  return result;
}

// What an operator that is made of others fetches is told of these.
Value DeviceOperators::apply_on_host(ops::Builder& builder, ops::Call& call) {
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

Value DeviceOperators::apply_on_device(ops::Builder& builder, ops::Call& call) {
  kernels::poll_interrupt(builder.context());
  const unsigned threads = builder.context().threads;
  if (is_reduction_on_device(call.entry) && is_worth_it(call, operations_per_element, threads))
    return reduce(builder, call);
  using enum ops::DeviceForm;
  switch (call.entry.device) {
    case none: return Value::unbound();
    case draw: return draw_numbers(builder, call);
    case matmul:
    case dot:
      if (is_product_of_vectors(call) && is_worth_it(call, operations_per_element, threads))
        return multiply_vectors(builder, call);
      [[fallthrough]];
    case scaled_matmul:
      if (is_worth_it(call, products_an_element(call), threads)) return DeviceProducts(code_).multiply(builder, call);
      break;
    case contraction:
      if (is_worth_it(call, operations_per_window, threads)) return DeviceProducts(code_).contract(builder, call);
      break;
    case convolution:
    case convolution_input:
    case convolution_weight:
    case window_max:
    case window_argmax:
    case window_mean:
    case window_mean_spread:
    case read_at_positions:
    case add_at_positions:
      if (is_worth_it(call, operations_per_window, threads)) return DeviceConvolutions(code_).apply(builder, call);
      break;
    case view: pack_on_device(accelerator_, builder.pool(), call.args[0]); break;
    default: return any_on_device(call) ? move(builder, call) : Value::unbound();
  }
  return Value::unbound();
}

Value DeviceOperators::move(ops::Builder& builder, ops::Call& call) {
  using enum ops::DeviceForm;
  switch (call.entry.device) {
    case sort:
    case argsort:
    case first_positions: return sort_on_device(accelerator_, builder, call);
    case running_sum: return running_on_device(accelerator_, builder, call, true);
    case running_product: return running_on_device(accelerator_, builder, call, false);
    case running_extreme: return running_extremes_on_device(accelerator_, builder, call, false);
    case running_argextreme: return running_extremes_on_device(accelerator_, builder, call, true);
    case widen: return widen_on_device(accelerator_, builder, call);
    case concat:
    case stack: return join_on_device(accelerator_, builder, call);
    case index_read: return read_on_device(code_, builder, call);
    case index_update: return write_on_device(code_, builder, call, false);
    case index_add: return write_on_device(code_, builder, call, true);
    default: return Value::unbound();
  }
}

Value DeviceOperators::draw_numbers(ops::Builder& builder, ops::Call& call) {
  const Type type = call.entry.type(builder, call);
  if (is_half(type.dtype) && ops::drawn_by(call.entry) != ops::Drawn::even) return Value::unbound();
  if (type.shape.rank() == 0 || type.shape.elements() == 0 ||
      !code_.is_worth_it({}, type.shape.elements(), instructions_a_draw, builder.context().threads))
    return Value::unbound();
  return draw_on_device(accelerator_, builder, call, type);
}

bool DeviceOperators::any_on_device(const ops::Call& call) const {
  for (unsigned i = 0; i < call.operands(); ++i) {
    const Value& x = call.operand(i);
    if (x.is_tensor() && x.tensor().on_device() && accelerator_.blocks().has(x.tensor())) return true;
  }
  return false;
}

Value DeviceOperators::reduce(ops::Builder& builder, ops::Call& call) {
  if (!has_elements(call.args[0])) return Value::unbound();
  const ops::ReduceKind kind = call.entry.reduce->kind;
  const Type type = call.entry.type(builder, call);
  const Dtype given = call.args[0].tensor().dtype();
  const uint32_t axes = ops::reduce_arguments(call, call.args[0].tensor().rank()).axes;
  // Sums in half precision are sums in f32, rounded once.
  Value x = converted_on_device(accelerator_, builder.pool(), call.args[0], is_half(given) ? Dtype::f32 : given);
  if (x.is_unbound()) return x;
  if (is_search(kind)) return search(builder, kind, x, axes, type.shape);
  x = reduce_axes(builder, kind, x, axes, type.shape);
  if (is_half(type.dtype) && !x.is_unbound()) x = converted_on_device(accelerator_, builder.pool(), x, type.dtype);
  return type.shape.empty() && !x.is_unbound() ? number(std::move(x)) : x;
}

Value DeviceOperators::number(Value element) {
  return number_stays_ ? element : number_of(accelerator_, element.tensor());
}

// The sum of their elements' products.
Value DeviceOperators::multiply_vectors(ops::Builder& builder, ops::Call& call) {
  Tensor& a = call.args[0].tensor();
  Tensor& b = call.args[1].tensor();
  if (a.size() != b.size() || a.size() == 0) return Value::unbound();
  DeviceWalks walks;
  for (const Tensor* factor : {&a, &b}) walks.add(*factor, a.shape());
  walks.merge();
  if (!walks.flat() && !walks.put()) return Value::unbound();
  const DeviceKernel kernel = reduction_kernel(accelerator_, "dot_" + std::string(name_of(a.dtype())),
                                               {ops::ReduceKind::sum, a.dtype(), true}, kernel_of_products(a.dtype()));
  Tensor* const inputs[] = {&a, &b};
  return number(reduce_on_device(accelerator_, builder.pool(), kernel, walks.flat(), {1, a.size(), 1}, Shape(), 0,
                                 [&](DeviceArguments& arguments) { walks.give(arguments, inputs); }));
}

// Groups of axes that are not neighbours are reduced one after the other, the last first.
Value DeviceOperators::reduce_axes(ops::Builder& builder, ops::ReduceKind kind, Value x, uint32_t axes,
                                   const Shape& shape) {
  const bool several = (axes & (axes + (axes & (~axes + 1)))) != 0;
  if (!several) return reduce_group(builder, kind, x.tensor(), axes, shape);
  const bool mean = kind == ops::ReduceKind::mean;
  if (mean && !is_float(x.tensor().dtype())) return Value::unbound();
  const ops::ReduceKind each = mean ? ops::ReduceKind::sum : kind;
  double count = 1;
  for (unsigned axis = 0; axis < x.tensor().rank(); ++axis) {
    if ((axes >> axis & 1) != 0) count *= static_cast<double>(x.tensor().dim(axis));
  }
  while (true) {
    const unsigned top = static_cast<unsigned>(std::bit_width(axes));
    const uint32_t gaps = ~axes & ((1u << top) - 1), last = axes & ~((1u << std::bit_width(gaps)) - 1);
    if (gaps == 0 || last == axes) break;
    Shape kept = x.tensor().shape();
    for (unsigned axis = 0; axis < kept.rank(); ++axis) {
      if ((last >> axis & 1) != 0) kept[axis] = Dim(1);
    }
    x = reduce_group(builder, each, x.tensor(), last, kept);
    if (x.is_unbound()) return x;
    axes &= ~last;
  }
  x = reduce_group(builder, each, x.tensor(), axes, shape);
  return mean && !x.is_unbound() ? divided_on_device(accelerator_, builder.pool(), x, count) : x;
}

Value DeviceOperators::search(ops::Builder& builder, ops::ReduceKind kind, Value x, uint32_t axes, const Shape& shape) {
  bool last_axis = true;
  const auto extents = one_group(x.tensor().shape(), axes, last_axis);
  if (extents && !x.tensor().contiguous()) x = packed_on_device(accelerator_, builder.pool(), x);
  if (!extents || x.is_unbound()) return Value::unbound();
  return extreme_places_on_device(accelerator_, builder.pool(), x.tensor(), *extents, shape,
                                  kind == ops::ReduceKind::argmin);
}

Value DeviceOperators::reduce_group(ops::Builder& builder, ops::ReduceKind kind, Tensor& x, uint32_t axes,
                                    const Shape& shape) {
  bool last_axis = true;
  const auto extents = one_group(x.shape(), axes, last_axis);
  if (!extents) return Value::unbound();
  DeviceWalks walks;
  walks.add(x, x.shape());
  walks.merge();
  if (!walks.flat() && !walks.put()) return Value::unbound();
  const std::string name = "reduce_" + std::to_string(static_cast<int>(kind)) + "_" + std::string(name_of(x.dtype())) +
                           (last_axis ? "_last" : "_columns");
  const DeviceKernel kernel =
      reduction_kernel(accelerator_, name, {kind, x.dtype(), last_axis}, moving_kernel(x.dtype()));
  Tensor* const inputs[] = {&x};
  return reduce_on_device(accelerator_, builder.pool(), kernel, walks.flat(), *extents, shape, 0,
                          [&](DeviceArguments& arguments) { walks.give(arguments, inputs); });
}

OffloadScope::OffloadScope(ops::Context& context, DeviceCode& code)
    : operators_(code), devices_(*context.devices), outer_(std::exchange(devices_.offload, &operators_)) {}

OffloadScope::~OffloadScope() { devices_.offload = outer_; }

}  // namespace covec::runtime
