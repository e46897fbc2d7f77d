#include "jit/device/move.hpp"

#include "jit/device/arguments.hpp"
#include "jit/loops/build_kernel.hpp"
#include "jit/source/device_library.hpp"
#include "stdlib/ops/contract/attributes.hpp"
#include "stdlib/ops/shape/shape.hpp"
#include "stdlib/tensor/views.hpp"

namespace covec::runtime {

namespace {

enum CopyKernel { copies, clears };

device::Function copy_kernel(device::Accelerator& accelerator, Dtype dtype, CopyKernel which) {
  const size_t bytes = size_of(dtype);
  const char* const endings[] = {"_copy", "_clear"};
  return library_kernels(accelerator, "copy_" + std::to_string(bytes), endings,
                         [&](const std::string& name) { return source::device_copy(bytes, name); })[which];
}

}  // namespace

std::vector<device::Function> library_kernels(device::Accelerator& accelerator, const std::string& name,
                                              std::span<const char* const> endings,
                                              FunctionRef<std::string(const std::string&)> text) {
  std::vector<std::string> names;
  for (const char* ending : endings) names.push_back(name + ending);
  return accelerator.library(
      name, [&] { return source::device_prelude(accelerator.device().dialect()) + text(name); }, names);
}

void clear_on_device(device::Accelerator& accelerator, Tensor& x) {
  DeviceArguments arguments(accelerator);
  arguments.number(x.size());
  arguments.tensor(x);
  arguments.launch(copy_kernel(accelerator, x.dtype(), clears), x.size());
}

bool copy_on_device(device::Accelerator& accelerator, Tensor& to, Tensor& from) {
  if (from.size() == 0) return true;
  DeviceWalks walks;
  walks.add(to, from.shape());
  walks.add(from, from.shape());
  walks.merge();
  if (!walks.put()) return false;
  DeviceArguments arguments(accelerator);
  arguments.number(from.size());
  arguments.tensor(to);
  arguments.tensor(from);
  walks.give_walk(arguments, 2);
  arguments.launch(copy_kernel(accelerator, from.dtype(), copies), from.size());
  return true;
}

loops::Kernel moving_kernel(Dtype dtype) {
  loops::Kernel kernel;
  kernel.inputs.push_back({dtype, false});
  loops::KernelBuilder builder(kernel, false);
  kernel.outputs.push_back({builder.load(dtype, 0).id, dtype});
  return kernel;
}

namespace {

// By tiles, where what is copied runs along another axis than the copy.
bool copy_transposed(device::Accelerator& accelerator, Tensor& to, Tensor& from) {
  const size_t bytes = size_of(from.dtype());
  if (bytes < sizeof(int32_t)) return false;
  DeviceWalks walks;
  walks.add(from, from.shape());
  walks.merge();
  const DeviceWalks::Crossing transposing = walks.transposing();
  if (transposing.inputs == 0 || !walks.put()) return false;
  const char* const endings[] = {"_transposed"};
  const device::Function kernel =
      library_kernels(accelerator, "move_" + std::to_string(bytes), endings, [&](const std::string& name) {
        const Dtype word = bytes == sizeof(int32_t) ? Dtype::i32 : Dtype::i64;  // bits stay as they are
        return source::device_transposed_kernel(moving_kernel(word), name);
      })[0];
  DeviceArguments arguments(accelerator);
  arguments.number(from.size());
  arguments.tensor(to);
  Tensor* const inputs[] = {&from};
  walks.give(arguments, inputs);
  DeviceWalks::launch(arguments, kernel, transposing);
  return true;
}

}  // namespace

Value packed_on_device(device::Accelerator& accelerator, Pool& pool, const Value& x) {
  Value packed = accelerator.blocks().make(pool, x.tensor().dtype(), x.tensor().shape());
  if (x.tensor().size() > 0 && copy_transposed(accelerator, packed.tensor(), x.tensor())) return packed;
  return copy_on_device(accelerator, packed.tensor(), x.tensor()) ? std::move(packed) : Value::unbound();
}

Value stacked_on_device(device::Accelerator& accelerator, Pool& pool, std::span<Value> numbers) {
  const Dtype dtype = dtype_of(*std::ranges::find_if(numbers, &Value::is_tensor));
  Value result = accelerator.blocks().make(pool, dtype, Shape{Dim(static_cast<int64_t>(numbers.size()))});
  std::vector<device::Blocks::Temporary> none;
  const device::DeviceAddress place = accelerator.blocks().place_of(result.tensor(), none);
  constexpr int64_t stride[] = {1};
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i].is_tensor())
      copy_on_device(accelerator, view_at(result, static_cast<int64_t>(i), Shape{Dim(1)}, stride).tensor(),
                     numbers[i].tensor());
    else
      accelerator.device().write(place.handle, i * size_of(dtype), numbers[i].scalar_data(), size_of(dtype));
  }
  return result;
}

void pack_on_device(device::Accelerator& accelerator, Pool& pool, Value& x) {
  if (!x.is_tensor() || x.tensor().size() == 0 || x.tensor().contiguous() || !x.tensor().on_device() ||
      !accelerator.blocks().has(x.tensor()))
    return;
  Value packed = packed_on_device(accelerator, pool, x);
  if (!packed.is_unbound()) x = std::move(packed);
}

Value widen_on_device(device::Accelerator& accelerator, ops::Builder& builder, const ops::Call& call) {
  Tensor& x = call.args[0].tensor();
  if (x.size() == 0) return Value::unbound();
  const auto axis = static_cast<unsigned>(ops::integer_argument(call, 1));
  Shape shape = x.shape();
  shape[axis] = ops::integer_argument(call, 3);
  Value result = accelerator.blocks().make(builder.pool(), x.dtype(), shape);
  clear_on_device(accelerator, result.tensor());
  const Tensor& whole = result.tensor();
  const Value part =
      view_at(result, ops::integer_argument(call, 2) * whole.stride(axis), x.shape(), whole.strides().data());
  return copy_on_device(accelerator, part.tensor(), x) ? std::move(result) : Value::unbound();
}

Value join_on_device(device::Accelerator& accelerator, ops::Builder& builder, const ops::Call& call) {
  const Type type = call.entry.type(builder, call);
  for (const Value& part : call.rest) {
    if (!part.is_tensor() || part.tensor().dtype() != type.dtype) return Value::unbound();
  }
  const bool stacks = call.entry.device != ops::DeviceForm::concat;
  const unsigned axis = ops::normal_axis(call, ops::integer_argument(call, 1), type.shape.rank());
  Value result = accelerator.blocks().make(builder.pool(), type.dtype, type.shape);
  int64_t strides[max_rank];
  unsigned rank = 0;
  for (unsigned i = 0; i < type.shape.rank(); ++i) {
    if (!stacks || i != axis) strides[rank++] = result.tensor().stride(i);
  }
  int64_t at = 0;
  for (const Value& part : call.rest) {
    Tensor& from = part.tensor();
    if (from.size() > 0) {
      const Value place = view_at(result, at * result.tensor().stride(axis), from.shape(), strides);
      if (!copy_on_device(accelerator, place.tensor(), from)) return Value::unbound();
    }
    at += stacks ? 1 : from.dim(axis);
  }
  return result;
}

}  // namespace covec::runtime
