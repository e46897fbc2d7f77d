#include "jit/runtime/device_walk.hpp"

#include "jit/runtime/device_arguments.hpp"
#include "jit/runtime/device_map.hpp"
#include "jit/runtime/device_move.hpp"
#include "jit/source/device_library.hpp"
#include "stdlib/ops/contract/attributes.hpp"

namespace covec::runtime {

namespace {

enum PlacesKernel { columns, rows };
enum ScanKernel { sum, product };

}  // namespace

Value extreme_places_there(device::Accelerator& accelerator, Pool& pool, Tensor& x, const ReducedExtents& extents,
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
    const device::Place place = kept.scratch(sizeof(int64_t), Dtype::i64);
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

Value running_there(device::Accelerator& accelerator, ops::Builder& builder, const ops::Call& call, bool sums) {
  const Type type = call.entry.type(builder, call);
  if (is_half(type.dtype) || call.args[0].tensor().size() == 0) return Value::unbound();
  Value x = converted_there(accelerator, builder.pool(), call.args[0], type.dtype);
  if (!x.is_unbound() && !x.tensor().contiguous()) x = packed_there(accelerator, builder.pool(), x);
  if (x.is_unbound()) return x;
  const auto axis = static_cast<unsigned>(ops::integer_argument(call, 1));
  int64_t outer = 1, inner = 1;
  for (unsigned i = 0; i < type.shape.rank(); ++i) {
    if (i != axis) (i < axis ? outer : inner) *= type.shape[i].number();
  }
  const char* const endings[] = {"_sum", "_product"};
  const device::Function kernel = library_kernels(
      accelerator, "scan_" + std::string(name_of(type.dtype)), endings,
      [&](const std::string& name) { return source::device_scan(type.dtype, name); })[sums ? sum : product];
  Value result = accelerator.blocks().make(builder.pool(), type.dtype, type.shape);
  DeviceArguments arguments(accelerator);
  for (const int64_t number : {type.shape[axis].number(), outer, inner}) arguments.number(number);
  arguments.tensor(x.tensor());
  arguments.tensor(result.tensor());
  arguments.number(sums && ops::flag_argument(call, 2) ? 1 : 0);
  arguments.launch(kernel, outer * inner);
  return result;
}

}  // namespace covec::runtime
