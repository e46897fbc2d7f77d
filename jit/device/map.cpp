#include "jit/device/map.hpp"

#include <bit>

#include "jit/device/arguments.hpp"
#include "jit/device/move.hpp"
#include "jit/loops/build_kernel.hpp"

namespace covec::runtime {

namespace {

enum Form { flat, strided };

Value map_on_device(device::Accelerator& accelerator, Pool& pool, const Value& x, const loops::Kernel& kernel,
                    const std::string& name, uint64_t number) {
  Tensor& from = x.tensor();
  DeviceWalks walks;
  walks.add(from, from.shape());
  walks.merge();
  if (!walks.flat() && !walks.put()) return Value::unbound();
  const char* const endings[] = {"_flat", "_strided"};
  const device::Function function = library_kernels(accelerator, name, endings, [&](const std::string& written) {
    return source::device_kernel(kernel, written);
  })[walks.flat() ? flat : strided];
  Value result = accelerator.blocks().make(pool, kernel.outputs[0].dtype, from.shape());
  DeviceArguments arguments(accelerator);
  arguments.number(from.size());
  arguments.tensor(result.tensor());
  Tensor* const inputs[] = {&from};
  walks.give(arguments, inputs);
  if (!kernel.numbers.empty()) arguments.word(number);
  arguments.launch(function, from.size());
  return result;
}

}  // namespace

Value converted_on_device(device::Accelerator& accelerator, Pool& pool, const Value& x, Dtype dtype) {
  const Dtype from = x.tensor().dtype();
  if (from == dtype) return x;
  loops::Kernel kernel;
  kernel.inputs.push_back({from, false});
  loops::KernelBuilder builder(kernel, false);
  const ops::ScalarRef made = builder.convert(builder.load(from, 0), dtype);
  kernel.outputs.push_back({made.id, dtype});
  const std::string name = "convert_" + std::string(name_of(from)) + "_" + std::string(name_of(dtype));
  return map_on_device(accelerator, pool, x, kernel, name, 0);
}

Value divided_on_device(device::Accelerator& accelerator, Pool& pool, const Value& x, double number) {
  const Dtype dtype = x.tensor().dtype();
  loops::Kernel kernel;
  kernel.inputs.push_back({dtype, false});
  kernel.numbers.push_back(dtype);
  loops::KernelBuilder builder(kernel, false);
  const ops::ScalarRef quotient =
      builder.emit(ops::ScalarOp::div, dtype, builder.load(dtype, 0), builder.number(dtype, 0), {});
  kernel.outputs.push_back({quotient.id, dtype});
  const uint64_t word =
      dtype == Dtype::f32 ? std::bit_cast<uint32_t>(static_cast<float>(number)) : std::bit_cast<uint64_t>(number);
  return map_on_device(accelerator, pool, x, kernel, "divide_" + std::string(name_of(dtype)), word);
}

}  // namespace covec::runtime
