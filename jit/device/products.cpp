#include "jit/device/products.hpp"

#include <algorithm>

#include "jit/device/arguments.hpp"
#include "jit/device/move.hpp"
#include "jit/source/device_library.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/linalg/linalg.hpp"
#include "stdlib/tensor/views.hpp"

namespace covec::runtime {

namespace {

bool has_elements(const Value& x) { return x.is_tensor() && x.tensor().size() > 0; }

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
  if (axes > source::max_batch_axes) return false;
  words[0] = static_cast<int32_t>(axes);
  bool fits = true;
  const auto put = [&](unsigned place, int64_t number) {
    words[place] = static_cast<int32_t>(number);
    fits = fits && words[place] == number;
  };
  for (unsigned axis = 0; axis < axes; ++axis) {
    put(1 + axis, walks[0].dim[axis]);
    put(1 + source::max_batch_axes + axis, walks[0].stride[axis]);
    put(1 + 2 * source::max_batch_axes + axis, walks[1].stride[axis]);
  }
  return fits;
}

int64_t tiles_of(const device::Product& product, int64_t rows, int64_t columns) {
  return product.batches * ((product.m + rows - 1) / rows) * ((product.n + columns - 1) / columns);
}

// --- contractions ---

using Indices = std::vector<int64_t>;

// Elements of the factors that are not alone in being cotangents, each once.
int64_t elements_of_others(int64_t zeros, const Tensor& a, const Tensor& b) {
  int64_t count = 0;
  for (const int64_t factor : {1, 2}) {
    if (zeros == factor) continue;
    const Tensor& x = factor == 1 ? a : b;
    int64_t elements = 1;
    for (unsigned axis = 0; axis < x.rank(); ++axis) elements *= x.stride(axis) != 0 ? x.dim(axis) : 1;
    count += elements;
  }
  return count;
}

bool contains(const Indices& indices, int64_t index) { return std::ranges::find(indices, index) != indices.end(); }

// A factor with its axes in the order `indices`: along one that it does not have, or has with one element, it repeats.
Value arranged(const Value& x, const Indices& own, const Indices& indices, const Shape& extents) {
  int64_t strides[max_rank] = {};
  for (size_t i = 0; i < indices.size(); ++i) {
    for (size_t axis = 0; axis < own.size(); ++axis) {
      const auto k = static_cast<unsigned>(axis);
      if (own[axis] == indices[i] && x.tensor().dim(k) != 1) strides[i] += x.tensor().stride(k);
    }
  }
  return view_at(x, 0, extents, strides);
}

// Groups of neighbouring axes as one each, of which there must be elements; unbound: their strides do not allow it.
Value merged(const Value& x, std::span<const unsigned> groups, unsigned batches) {
  Shape shape;
  int64_t strides[max_rank];
  for (unsigned axis = 0; axis < batches; ++axis) {
    strides[shape.rank()] = x.tensor().stride(axis);
    shape.push_back(Dim(x.tensor().dim(axis)));
  }
  unsigned axis = batches;
  for (const unsigned count : groups) {
    kernels::Axes run;
    for (const unsigned end = axis + count; axis < end; ++axis) run.push(x.tensor().dim(axis), x.tensor().stride(axis));
    kernels::merge_together({&run, 1});
    if (run.count > 1) return Value::unbound();
    strides[shape.rank()] = run.count == 0 ? 1 : run.stride[0];
    shape.push_back(Dim(run.count == 0 ? 1 : run.dim[0]));
  }
  return view_at(x, 0, shape, strides);
}

// What a contraction of two factors is as a product: its indices by what they are in it.
struct AsProduct {
  Indices batch, rows, columns;  // of the result; all others are reduced

  explicit AsProduct(const ops::ContractSpec& spec) {
    for (const int64_t index : spec.output) {
      const bool left = contains(spec.factors[0], index), right = contains(spec.factors[1], index);
      (left && right ? batch : right ? columns : rows).push_back(index);
    }
  }
};

Indices joined(const Indices& a, const Indices& b, const Indices& c) {
  Indices all = a;
  all.insert(all.end(), b.begin(), b.end());
  all.insert(all.end(), c.begin(), c.end());
  return all;
}

}  // namespace

Value DeviceProducts::multiply(ops::Builder& builder, ops::Call& call) {
  if (!has_elements(call.args[0]) || !has_elements(call.args[1])) return Value::unbound();
  Tensor& a = call.args[0].tensor();
  Tensor& b = call.args[1].tensor();
  if (a.dtype() != b.dtype() || !is_float(a.dtype()) || (a.rank() == 1 && b.rank() == 1)) return Value::unbound();
  const Type type = call.entry.type(builder, call);
  Adjoint adjoint;
  if (call.entry.device == ops::DeviceForm::scaled_matmul) {
    const int64_t zeros = ops::integer_argument(call, 2);
    adjoint = {Adjoint::Way::repair_nan, zeros, elements_of_others(zeros, a, b)};
  }
  return product(builder.pool(), a, b, type.shape, adjoint);
}

Value DeviceProducts::contract(ops::Builder& builder, ops::Call& call) {
  const ops::ContractSpec spec = ops::ContractSpec::of(call.args[0]);
  if (call.rest.size() != 2 || !has_elements(call.rest[0]) || !has_elements(call.rest[1])) return Value::unbound();
  const Dtype dtype = call.rest[0].tensor().dtype();
  if (dtype != call.rest[1].tensor().dtype() || !is_float(dtype)) return Value::unbound();
  const Type type = call.entry.type(builder, call);
  if (type.shape.rank() == 0) return Value::unbound();
  const AsProduct kinds(spec);
  const auto extent_of = [&](int64_t index) {
    int64_t extent = 1;
    for (size_t f = 0; f < 2; ++f) {
      for (size_t axis = 0; axis < spec.factors[f].size(); ++axis) {
        if (spec.factors[f][axis] == index)
          extent = std::max(extent, call.rest[f].tensor().dim(static_cast<unsigned>(axis)));
      }
    }
    return Dim(extent);
  };
  Value wholes[2];
  const auto arrange = [&](size_t f, const Indices& first, const Indices& second) {
    const Indices indices = joined(kinds.batch, first, second);
    Shape extents;
    if (indices.size() > max_rank) return Value::unbound();
    for (const int64_t index : indices) extents.push_back(extent_of(index));
    const Value whole = wholes[f] = arranged(call.rest[f], spec.factors[f], indices, extents);
    const unsigned groups[] = {static_cast<unsigned>(first.size()), static_cast<unsigned>(second.size())};
    const auto batches = static_cast<unsigned>(kinds.batch.size());
    Value matrices = merged(whole, groups, batches);
    if (!matrices.is_unbound()) return matrices;
    Value packed = packed_on_device(accelerator_, builder.pool(), whole);
    return packed.is_unbound() ? packed : merged(packed, groups, batches);
  };
  Value a = arrange(0, kinds.rows, spec.reduced), b = arrange(1, spec.reduced, kinds.columns);
  if (a.is_unbound() || b.is_unbound()) return Value::unbound();
  Shape shape = a.tensor().shape();
  shape[shape.rank() - 1] = b.tensor().shape()[shape.rank() - 1];
  for (unsigned axis = 0; axis + 2 < shape.rank(); ++axis) shape[axis] = extent_of(kinds.batch[axis]);
  Adjoint adjoint;
  if (spec.zeros != 0) {
    const auto zeros = static_cast<int64_t>(spec.zeros);
    adjoint = {Adjoint::Way::repair_nan, zeros, elements_of_others(zeros, wholes[0].tensor(), wholes[1].tensor())};
  }
  const Value result = product(builder.pool(), a.tensor(), b.tensor(), shape, adjoint);
  if (result.is_unbound()) return result;
  // The axes as the spec wants them: a view, since the result is row-major over batch, rows and columns.
  const Indices made = joined(kinds.batch, kinds.rows, kinds.columns);
  int64_t strides[max_rank] = {}, step = 1;
  for (size_t i = made.size(); i-- > 0;) {
    const auto axis = std::ranges::find(spec.output, made[i]) - spec.output.begin();
    strides[axis] = step;
    step *= extent_of(made[i]).number();
  }
  return view_at(result, 0, type.shape, strides);
}

device::Product DeviceProducts::extents_of(const Tensor& a, const Tensor& b, const Shape& shape) const {
  device::Product product;
  product.dtype = a.dtype();
  product.precision = code_.precision();
  product.k = a.dim(a.rank() - 1);
  product.m = a.rank() >= 2 ? a.dim(a.rank() - 2) : 1;
  product.n = b.rank() >= 2 ? b.dim(b.rank() - 1) : 1;
  product.batches = shape.elements() / (product.m * product.n);
  return product;
}

Value DeviceProducts::product(Pool& pool, Tensor& a, Tensor& b, const Shape& shape, const Adjoint& adjoint) {
  const unsigned batches = shape.rank() - (a.rank() >= 2) - (b.rank() >= 2);
  int32_t batch[1 + 3 * source::max_batch_axes] = {};
  if (!put_batch(a, b, shape, batches, batch)) return Value::unbound();
  Value result = accelerator_.blocks().make(pool, a.dtype(), shape);
  device::Product product = extents_of(a, b, shape);
  const Operands operands{a, b, result.tensor(), batch};
  using Way = Adjoint::Way;
  const bool by_library = multiply_by_library(product, batch, a, b, result.tensor());
  if (!by_library && adjoint.way == Way::repair_nan && !is_half(product.dtype)) {
    launch_repaired(product, operands, adjoint);
    return result;
  }
  if (!by_library) launch(product, operands, adjoint.way == Way::none ? code_.flag() : code_.lowered_flag());
  if (adjoint.way == Way::none) return result;
  if (by_library) check_for_nan(result.tensor());
  return code_.is_raised() ? Value::unbound() : result;
}

void DeviceProducts::put(DeviceArguments& arguments, const device::Product& product, const Operands& operands) const {
  for (const int64_t number : {product.m, product.n, product.k, product.batches}) arguments.number(number);
  for (const bool left : {true, false}) {
    Tensor& factor = left ? operands.a : operands.b;
    const Strides strides = strides_of(factor, left);
    arguments.tensor(factor);
    arguments.number(strides.row);
    arguments.number(strides.column);
  }
  arguments.tensor(operands.c);
  arguments.bytes(operands.batch, (1 + 3 * source::max_batch_axes) * sizeof *operands.batch);
}

// Large tiles read less; but there must be some for each of the device's units.
bool DeviceProducts::has_wide_tiles(const device::Product& product) const {
  return !is_half(product.dtype) && product.m >= source::device_wide_rows &&
         product.n >= source::device_wide_columns(product.dtype) &&
         tiles_of(product, source::device_wide_rows, source::device_wide_columns(product.dtype)) >=
             accelerator_.device().units();
}

void DeviceProducts::launch(const device::Product& product, const Operands& operands, device::Handle flag) {
  const bool wide = has_wide_tiles(product);
  const std::string name = (wide ? "wide_product_" : "product_") + std::string(name_of(product.dtype));
  const auto write = [&] {
    return source::device_prelude(accelerator_.device().dialect()) +
           (wide ? source::device_wide_product(product.dtype, name) : source::device_product(product.dtype, name));
  };
  const device::Function kernel = accelerator_.library(name, write, {&name, 1})[0];
  DeviceArguments arguments(accelerator_);
  put(arguments, product, operands);
  arguments.memory(flag);
  launch_tiles(arguments, kernel, product, wide);
}

void DeviceProducts::launch_tiles(const DeviceArguments& arguments, device::Function kernel,
                                  const device::Product& product, bool wide) const {
  const int64_t rows = wide ? source::device_wide_rows : source::device_tile;
  const int64_t columns = wide ? source::device_wide_columns(product.dtype) : source::device_tile;
  arguments.launch_groups(kernel, tiles_of(product, rows, columns), source::device_tile_items);
}

bool DeviceProducts::multiply_into(Tensor& a, Tensor& b, Tensor& c, FunctionRef<device::Function(bool wide)> kernel,
                                   FunctionRef<void(DeviceArguments&)> put_end) {
  int32_t batch[1 + 3 * source::max_batch_axes] = {};
  if (!put_batch(a, b, c.shape(), c.rank() - 2, batch)) return false;
  const device::Product product = extents_of(a, b, c.shape());
  const bool wide = has_wide_tiles(product);
  DeviceArguments arguments(accelerator_);
  put(arguments, product, {a, b, c, batch});
  arguments.memory(code_.flag());
  put_end(arguments);
  launch_tiles(arguments, kernel(wide), product, wide);
  return true;
}

// Nobody waits: which NaN to repair the device finds by itself.
void DeviceProducts::launch_repaired(const device::Product& product, const Operands& operands, const Adjoint& adjoint) {
  const char* const endings[] = {"_begin", "_look", "_repair"};
  const std::vector<device::Function> kernels =
      library_kernels(accelerator_, "nan_repair_" + std::string(name_of(product.dtype)), endings,
                      [&](const std::string& name) { return source::device_nan_repair(product.dtype, name); });
  DeviceArguments begin(accelerator_);
  begin.memory(code_.flag());
  begin.launch(kernels[0], 1);
  launch(product, operands, code_.flag());
  DeviceArguments arguments(accelerator_);
  put(arguments, product, operands);
  const int64_t results = product.batches * product.m * product.n;
  arguments.number(adjoint.zeros);
  arguments.number(adjoint.others >= results ? 1 : 0);
  arguments.memory(code_.flag());
  arguments.launch(kernels[1], product.batches * product.k * std::max(product.m, product.n));
  arguments.launch(kernels[2], results);
}

bool DeviceProducts::multiply_by_library(device::Product& product, const int32_t* batch, Tensor& a, Tensor& b,
                                         Tensor& c) {
  if (product.precision == Precision::full || product.dtype == Dtype::f64 || batch[0] > 1) return false;
  std::vector<device::Blocks::Temporary> temporaries;
  const auto put = [&](Tensor& tensor, const Strides& strides, int64_t apart) {
    const device::DeviceAddress place = accelerator_.blocks().place_of(tensor, temporaries);
    return device::Matrices{place.handle, static_cast<size_t>(place.offset), strides.row, strides.column, apart};
  };
  product.a = put(a, strides_of(a, true), batch[1 + source::max_batch_axes]);
  product.b = put(b, strides_of(b, false), batch[1 + 2 * source::max_batch_axes]);
  product.c = put(c, {product.n, 1}, product.m * product.n);
  const bool done = accelerator_.device().multiply(product);
  code_.tally.library += done;
  return done;
}

void DeviceProducts::check_for_nan(Tensor& x) {
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

}  // namespace covec::runtime
