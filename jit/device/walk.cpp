#include "jit/device/walk.hpp"

#include "jit/device/arguments.hpp"
#include "jit/device/map.hpp"
#include "jit/device/move.hpp"
#include "jit/source/device_library.hpp"
#include "stdlib/ops/contract/attributes.hpp"

namespace covec::runtime {

namespace {

enum PlacesKernel { columns, rows };
enum ScanKernel { sum, product };

}  // namespace

Value extreme_places_on_device(device::Accelerator& accelerator, Pool& pool, Tensor& x, const ReducedExtents& extents,
                               const Shape& shape, bool smallest) {
  const bool by_rows = extents.inner == 1;
  const char* const endings[] = {"_columns", "_rows"};
  const std::string name = std::string(smallest ? "argmin_" : "argmax_") + std::string(name_of(x.dtype()));
  const device::Function kernel = library_kernels(accelerator, name, endings, [&](const std::string& written) {
    return source::device_extreme_places(x.dtype(), smallest, written);
  })[by_rows ? rows : columns];
  DeviceArguments arguments(accelerator);
  for (const int64_t number : {extents.n, extents.outer, extents.inner}) arguments.number(number);
  arguments.tensor(x);
  const auto launch = [&] {
    by_rows ? arguments.launch_groups(kernel, extents.outer, source::device_row_items)
            : arguments.launch(kernel, extents.outer * extents.inner);
  };
  if (shape.rank() == 0) {  // numbers are the host's
    DeviceArguments kept(accelerator);
    const device::DeviceAddress place = kept.scratch(sizeof(int64_t), Dtype::i64);
    arguments.array(place);
    launch();
    int64_t found = 0;
    accelerator.device().read(&found, place.handle, 0, sizeof found);
    return Value(found);
  }
  Value result = accelerator.blocks().make(pool, Dtype::i64, shape);
  arguments.tensor(result.tensor());
  launch();
  return result;
}

namespace {

// The axis that is walked, what is outside it and inside.
ReducedExtents walked(const Shape& shape, unsigned axis) {
  ReducedExtents extents;
  for (unsigned i = 0; i < shape.rank(); ++i)
    (i < axis ? extents.outer : i == axis ? extents.n : extents.inner) *= shape[i].number();
  return extents;
}

// Row-major, with elements of that dtype; unbound: it cannot be.
Value prepared(device::Accelerator& accelerator, Pool& pool, const Value& given, Dtype dtype) {
  if (is_narrow(dtype) || given.tensor().size() == 0) return Value::unbound();
  Value x = converted_on_device(accelerator, pool, given, dtype);
  return x.is_unbound() || x.tensor().contiguous() ? x : packed_on_device(accelerator, pool, x);
}

void put_extents(DeviceArguments& arguments, const ReducedExtents& extents) {
  for (const int64_t number : {extents.n, extents.outer, extents.inner}) arguments.number(number);
}

}  // namespace

Value running_on_device(device::Accelerator& accelerator, ops::Builder& builder, const ops::Call& call, bool sums) {
  const Type type = call.entry.type(builder, call);
  const Value x = prepared(accelerator, builder.pool(), call.args[0], type.dtype);
  if (x.is_unbound()) return x;
  const char* const endings[] = {"_sum", "_product"};
  const device::Function kernel = library_kernels(
      accelerator, "scan_" + std::string(name_of(type.dtype)), endings,
      [&](const std::string& name) { return source::device_scan(type.dtype, name); })[sums ? sum : product];
  Value result = accelerator.blocks().make(builder.pool(), type.dtype, type.shape);
  const ReducedExtents extents = walked(type.shape, static_cast<unsigned>(ops::integer_argument(call, 1)));
  DeviceArguments arguments(accelerator);
  put_extents(arguments, extents);
  arguments.tensor(x.tensor());
  arguments.tensor(result.tensor());
  arguments.number(sums && ops::flag_argument(call, 2) ? 1 : 0);
  arguments.launch(kernel, extents.outer * extents.inner);
  return result;
}

Value running_extremes_on_device(device::Accelerator& accelerator, ops::Builder& builder, const ops::Call& call,
                                 bool places) {
  const Type type = call.entry.type(builder, call);
  const Dtype dtype = call.args[0].tensor().dtype();
  const Value x = prepared(accelerator, builder.pool(), call.args[0], dtype);
  if (x.is_unbound()) return x;
  const bool smallest = ops::flag_argument(call, 2);
  const char* const endings[] = {"_elements", "_places"};
  const std::string key = std::string(smallest ? "running_min_" : "running_max_") + std::string(name_of(dtype));
  const device::Function kernel = library_kernels(accelerator, key, endings, [&](const std::string& name) {
    return source::device_running_extremes(dtype, smallest, name);
  })[places ? 1 : 0];
  Value result = accelerator.blocks().make(builder.pool(), type.dtype, type.shape);
  const ReducedExtents extents = walked(type.shape, static_cast<unsigned>(ops::integer_argument(call, 1)));
  DeviceArguments arguments(accelerator);
  put_extents(arguments, extents);
  arguments.tensor(x.tensor());
  arguments.tensor(result.tensor());
  arguments.launch(kernel, extents.outer * extents.inner);
  return result;
}

}  // namespace covec::runtime
